import GatewayStore
import Reactor
import ShareCore

/// The broadcasts of all gateways that have not ended, in fair shares of their tenants. Who has none gets one whatever
/// others have: the bound is there for order's sake. From any thread.
final class WaitingBroadcasts: Sendable {
    private let shares: Locked<ObservedShares<String>>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        shares = Locked(
            ObservedShares(
                ShareRule(capacity: capacity, favorsNewcomers: true), places: StoredJobs.jobShards))
    }

    /// Lets one in; nil when it is refused. It counts until it has begun, or the hold is let go.
    /// - Parameter used: how many there are.
    func hold(tenantID: String, weight: Int, used: Int) -> Hold? {
        shares.withLock { $0.letIn(tenantID, weight: weight, used: used) } ? Hold(self, tenantID) : nil
    }

    func heard(_ counts: [String: Int], shard: Int) { shares.withLock { $0.heard(counts, in: shard) } }

    func began(tenantID: String, shard: Int) { shares.withLock { $0.began(tenantID, in: shard) } }

    var refusals: UInt64 { shares.withLock { $0.refusals } }

    /// A broadcast that was let in and has not begun.
    final class Hold: Sendable {
        private let waiting: WaitingBroadcasts
        private let tenantID: String

        fileprivate init(_ waiting: WaitingBroadcasts, _ tenantID: String) {
            self.waiting = waiting
            self.tenantID = tenantID
        }

        deinit { waiting.shares.withLock { $0.settled(tenantID) } }
    }
}
