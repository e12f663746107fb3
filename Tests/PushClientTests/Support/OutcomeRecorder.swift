import APNsCore
import Delivery
import PushClient
import Reactor
import Synchronization

/// Sends pushes as room permits, in batches of 1 to 64, and records every outcome by tag.
final class OutcomeRecorder: PushOutcomeReceiver, RoomListener, @unchecked Sendable {
    private let client: PushClient
    private let template: PushTemplate
    private let total: Int
    private let firstTag: UInt64
    private let repeatsFailed: Bool
    // Confined to the reactor.
    private var sent = 0
    private var isPaused = false
    private var batchSize = 0
    /// Tags of undelivered pushes to send again.
    private var again: [UInt64] = []

    private struct State {
        var outcomes: [UInt64: [PushOutcome]] = [:]
        var count = 0
        var successes = 0
        var waiter: (Int, CheckedContinuation<Void, Never>)?
        var successWaiter: (Int, CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())

    init(_ client: PushClient, _ template: PushTemplate, total: Int, firstTag: UInt64 = 0, repeatsFailed: Bool = false)
    {
        self.repeatsFailed = repeatsFailed
        self.client = client
        self.template = template
        self.total = total
        self.firstTag = firstTag
    }

    func start() {
        client.reactor.execute {
            self.client.add(self)
            self.fill()
        }
    }

    func stop() { client.reactor.execute { self.isPaused = true } }

    /// Sends all pushes and waits for all outcomes.
    func run() async {
        start()
        await waitForOutcomes(total)
        client.reactor.execute { self.client.remove(self) }
    }

    func waitForOutcomes(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func waitForSuccesses(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.successes >= count { return true }
                state.successWaiter = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// 32 bytes that hold the tag.
    static func token(_ tag: UInt64) -> [UInt8] {
        (0..<32).map { $0 < 24 ? 0xA0 : UInt8(truncatingIfNeeded: tag >> UInt64((31 - $0) * 8)) }
    }

    static func path(_ tag: UInt64) -> String {
        "/3/device/" + token(tag).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func fill() {
        while sent < total || !again.isEmpty, !isPaused {
            let isNew = sent < total
            batchSize = batchSize % 64 + 1
            let tags =
                isNew
                ? (sent..<min(total, sent + batchSize)).map { firstTag + UInt64($0) }
                : Array(again.reversed().prefix(batchSize))
            let taken = client.push(tags.map { ($0, OutcomeRecorder.token($0)) }, template, to: self)
            if isNew { sent += taken } else { again.removeLast(taken) }
            if taken < tags.count { break }
        }
    }

    func roomGrew() { fill() }

    var pushesWaiting: Int { isPaused ? 0 : total - sent + again.count }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) {
        note(pushes.map { ($0.tag, .accepted) })
    }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        if repeatsFailed {
            for result in outcomes {
                if case .unsent(_, mayHaveBeenDelivered: true) = result.outcome { continue }
                again.insert(result.tag, at: 0)
            }
        }
        note(outcomes.map { ($0.tag, $0.outcome) })
    }

    private func note(_ outcomes: [(tag: UInt64, outcome: PushOutcome)]) {
        let ready = state.withLock { state -> CheckedContinuation<Void, Never>? in
            for result in outcomes {
                state.outcomes[result.tag, default: []].append(result.outcome)
                state.count += 1
                if result.outcome == .accepted { state.successes += 1 }
            }
            if let (count, continuation) = state.successWaiter, state.successes >= count {
                state.successWaiter = nil
                return continuation
            }
            guard let (count, continuation) = state.waiter, state.count >= count else { return nil }
            state.waiter = nil
            return continuation
        }
        ready?.resume()
        fill()
    }

    // MARK: Reading

    var outcomes: [UInt64: [PushOutcome]] { state.withLock { $0.outcomes } }
    var count: Int { state.withLock { $0.count } }

    /// Returns those of the first `count` tags that do not have exactly one outcome.
    func wrongTags(_ count: Int? = nil) -> [UInt64] {
        let outcomes = self.outcomes
        return (0..<UInt64(count ?? total)).map { $0 + firstTag }.filter { outcomes[$0]?.count != 1 }
    }

    func tags(where matches: (PushOutcome) -> Bool) -> Set<UInt64> {
        Set(outcomes.filter { matches($0.value[0]) }.keys)
    }

    func unsent(mayHaveBeenDelivered: Bool) -> Set<UInt64> {
        tags { if case .unsent(_, mayHaveBeenDelivered) = $0 { true } else { false } }
    }

    /// The number of pushes by outcome, for messages.
    var summary: String {
        var counts: [String: Int] = [:]
        for list in outcomes.values {
            for outcome in list { counts["\(outcome)", default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    var accepted: Set<UInt64> { tags { $0 == .accepted } }
}
