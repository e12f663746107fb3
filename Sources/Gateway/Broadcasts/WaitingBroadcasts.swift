import GatewayStore
import Reactor
import ShareCore

/// The broadcasts of all gateways that have not ended, in fair shares of their tenants. Who has none gets one whatever
/// others have: the bound is there for order's sake. From any thread.
final class WaitingBroadcasts: Sendable {
    typealias Question = ObservedShares<String>.Question

    private let shares: Locked<ObservedShares<String>>
    private let rule: ShareRule
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        rule = ShareRule(capacity: capacity, favorsNewcomers: true)
        shares = Locked(ObservedShares(rule, places: StoredJobs.jobShards))
    }

    /// Lets one in; nil when it is refused. It counts until it has begun, or the hold is let go.
    /// - Parameter resting: of how many nothing is left but retries for a while.
    func hold(tenantID: String, weight: Int, resting: Int) -> Hold? {
        shares.withLock { $0.letIn(tenantID, weight: weight, idle: resting) } ? Hold(self, tenantID) : nil
    }

    /// Tenants that are refused one more broadcast.
    func fullTenants(_ weights: TenantWeights, resting: Int) -> [String] {
        shares.withLock { $0.fullHolders(idle: resting) { weights[$0] } }
    }

    /// Taken before a shard is asked how many there are.
    var question: Question { shares.withLock { $0.question } }

    func heard(_ taken: TakenJobs, shard: Int, asked question: Question) {
        shares.withLock { $0.heard(taken.unfinishedOf, used: taken.unfinished, in: shard, asked: question) }
    }

    func heardOfNone(shard: Int, asked question: Question) {
        shares.withLock { $0.heard([:], used: 0, in: shard, asked: question) }
    }

    func began(tenantID: String, shard: Int) { shares.withLock { $0.began(tenantID, in: shard) } }

    /// How many have not ended, as of a moment ago.
    var count: Int { shares.withLock { $0.used } }

    /// How many of a tenant have not ended, as of a moment ago.
    func count(ofTenant tenantID: String) -> Int { shares.withLock { max(0, $0.held(by: tenantID)) } }

    /// How many of a tenant are let in while others have none.
    func most(weight: Int) -> Int { rule.most(weight: weight) }

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
