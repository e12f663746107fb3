import APNsCore
import GatewayStore
import Reactor
import TimeCore

extension ChannelKeeper {
    /// No round takes longer from its lease on, and a little more for what is under way.
    private static let roundTime = TimeInterval.seconds(30)
    private static let leaseTime = TimeInterval.seconds(60)
    /// In one round.
    private static let looks = 200
    private static let deletions = 20
    /// The pause after a deletion that APNs has refused.
    private static let deletionPause = TimeInterval.seconds(3600)

    /// Maintains the channels once if this gateway has the lease. Work that Redis does not answer waits for the next
    /// round.
    func round() async {
        let end = MonotonicTime.now() + Self.roundTime
        if (try? await store.lease(holder, for: Self.leaseTime)) == true {
            await compareIfDue()
            await fillPool(until: end)
            try? await lookAtTaken()
            try? await delete(try await store.due(limit: Self.deletions), until: end)
            if options.isExclusive {
                let strangers = try? await store.strangers(olderThan: rules.strangerAge, limit: Self.deletions)
                try? await delete(strangers ?? [], until: end)
            }
        }
        if let counts = try? await store.counts() { state.withLock { $0.counts = counts } }
    }

    private func isOver(_ end: MonotonicTime) -> Bool { Task.isCancelled || MonotonicTime.now() >= end }

    private func fillPool(until end: MonotonicTime) async {
        guard let counts = try? await store.counts(), counts.pool < options.pool else { return }
        for _ in counts.pool..<options.pool {
            guard !isOver(end), await make(for: nil) != nil else { return }
        }
    }

    /// Has those deleted, in their time, whose activities have ended or do not name them.
    private func lookAtTaken() async throws {
        let (taken, next) = try await store.taken(from: state.withLock { $0.cursor }, limit: Self.looks)
        state.withLock { $0.cursor = next }
        guard !taken.isEmpty else { return }
        let now = wallClock()
        for (channel, taker) in zip(taken, try await store.takers(of: taken)) {
            guard let time = rules.deletion(takenAt: channel.takenAt, by: taker) else { continue }
            // Until then its start may name it; those of ended activities are as good as deleted.
            if case .ended(_, namesChannel: true) = taker {
            } else if time > now {
                continue
            }
            _ = try await store.doom(channel, at: time)
        }
    }

    private func delete(_ channels: [String], until end: MonotonicTime) async throws {
        for channel in channels {
            guard !isOver(end), state.withLock({ $0.upkeep.mayAsk(now: .now()) }) else { return }
            switch await ask(.delete(channel)) {
            case .deleted, .gone: try await store.forget([channel])
            case .failed: try await store.postpone(channel, to: wallClock() + Self.deletionPause)
            default: return
            }
        }
    }

    /// Compares the known channels with APNs's list, and counts listed channels that Redis does not know. Forgets known
    /// channels that two lists in a row lack. One list is not enough, because followers of a forgotten channel get
    /// nothing more.
    private func compareIfDue() async {
        let now = MonotonicTime.now()
        let isDue = state.withLock { state in
            guard state.upkeep.mayAsk(now: now) else { return false }
            return state.comparedAt.map { now - $0 >= options.comparison } ?? true
        }
        guard isDue, let before = try? await store.known() else { return }
        let askedAt = wallClock()
        guard case .listed(let listed) = await ask(.list), let after = try? await store.known() else { return }
        let (missing, strangers) = rules.compare(before: before, after: Set(after.keys), listed: listed, now: askedAt)
        let (lost, isSure) = state.withLock { state in
            defer { state.missing = Set(missing) }
            return (missing.filter(state.missing.contains), state.missing.isSuperset(of: missing))
        }
        do {
            for taken in try await store.forget(lost) { logDeletion(taken) }
            try await store.noteListing(count: listed.count, strangers: strangers)
            // The next round asks again for a channel that is missing for the first time.
            if isSure { state.withLock { $0.comparedAt = now } }
        } catch {
            // The next round repeats all of it.
        }
    }
}
