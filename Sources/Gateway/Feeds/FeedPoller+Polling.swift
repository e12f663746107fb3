import FeedCore
import GatewayStore
import LiveActivity
import Reactor
import Secrets
import TimeCore

extension FeedPoller {
    /// Requests the feed once, and passes new elements on.
    /// - Returns: The new state of the feed.
    func poll(_ record: FeedRecord) async -> FeedState {
        let began = clock()
        do throws(StoreError) {
            guard try await receiver.admits(tenantID: options.tenantID) else {
                return await failed(.tenant, record)
            }
        } catch {
            return await failed(.store, record)
        }
        let answer = await client.get(after: record.state.tag)
        // Another gateway repeats a poll during which this one stopped or lost its lease.
        guard mayGoOn() else { return record.state }
        switch answer {
        case .unchanged: return await succeeded(.unchanged, "unchanged", record, began: began)
        case .failed(let failure, let retryAfter, let detail):
            return await failed(failure, record, retryAfter: retryAfter, detail: detail)
        case .whole(let bytes, let tag):
            let digest = Digest.sha256(bytes)
            if digest == record.state.digest {
                let news = FeedState.News.taken(
                    tag: tag, digest: digest, topics: record.state.topics, refused: record.state.refused,
                    isSettled: true)
                return await succeeded(news, "unchanged", record, began: began)
            }
            guard let document = FeedDocument(bytes) else { return await failed(.malformed, record) }
            return await take(document, tag, digest, record, began: began)
        }
    }

    @Sendable private func mayGoOn() -> Bool { !Task.isCancelled && hold.counts(now: .now()) }

    private func take(
        _ document: FeedDocument, _ tag: String?, _ digest: [UInt8], _ record: FeedRecord, began: WallTime
    ) async -> FeedState {
        let elements = FeedElements(receiver: receiver, tenantID: options.tenantID, mayGoOn: mayGoOn)
        let tally = await elements.take(document.elements)
        shown.withLock { snapshot in
            for (name, count) in tally.counts { snapshot.elements[name, default: 0] += count }
        }
        guard tally.isWhole else { return await failed(.store, record) }
        log.withLock { $0.refused(tally.refusals) }
        let news = FeedState.News.taken(
            tag: tag, digest: digest, topics: document.elements.count, refused: tally.counts["refused"] ?? 0,
            isSettled: tally.isSettled)
        return await succeeded(news, "taken", record, began: began)
    }

    private func succeeded(
        _ news: FeedState.News, _ name: String, _ record: FeedRecord, began: WallTime
    ) async -> FeedState {
        shown.withLock { $0.polls[name, default: 0] += 1 }
        log.withLock { $0.succeeded() }
        var state = record.state
        state.succeeded(news, began: began, now: clock(), times: times)
        return await note(state, after: record)
    }

    private func failed(
        _ failure: FeedFailure, _ record: FeedRecord, retryAfter: TimeInterval? = nil, detail: String? = nil
    ) async -> FeedState {
        shown.withLock { $0.polls[failure.rawValue, default: 0] += 1 }
        var state = record.state
        let now = clock()
        state.failed(
            failure, retryAfter: retryAfter, now: now, times: times, random: UInt64.random(in: .min ... .max))
        let pause = (state.dueAt ?? now).milliseconds - now.milliseconds
        log.withLock { $0.failed(failure, detail: detail, pauseInMilliseconds: pause) }
        return await note(state, after: record)
    }
}
