import Delivery
import Reactor
import TimeCore

/// A quota that replies as the test sets.
final class TestQuota: SendQuota {
    private struct State {
        /// The permits left.
        var left = Int.max
        var wait = TimeInterval.milliseconds(10)
        var isAway = false
        var given = 0
        var asked: [Int] = []
        var pauses: [TimeInterval] = []
        var slowdowns = 0
    }

    let reactor = Locked<Reactor?>(nil)
    private let state = Locked(State())

    init(left: Int = .max) {
        state.withLock { $0.left = left }
    }

    func take(_ count: Int, completion: @escaping (SendQuotaReply) -> Void) {
        let reply = state.withLock { state -> SendQuotaReply in
            state.asked.append(count)
            guard !state.isAway else { return .unavailable }
            let granted = min(count, state.left)
            state.left -= granted
            state.given += granted
            return .granted(granted, wait: granted < count ? state.wait : .zero)
        }
        // The reply is asynchronous because the quota is in another process.
        nonisolated(unsafe) let completion = completion
        reactor.withLock { $0 }?.execute { completion(reply) }
    }

    func quotaExceeded(wait: TimeInterval) { state.withLock { $0.pauses.append(wait) } }
    func slowDown() { state.withLock { $0.slowdowns += 1 } }

    func add(_ count: Int) { state.withLock { $0.left += count } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }
    var given: Int { state.withLock { $0.given } }
    var asked: [Int] { state.withLock { $0.asked } }
    var pauses: [TimeInterval] { state.withLock { $0.pauses } }
    var slowdowns: Int { state.withLock { $0.slowdowns } }
}
