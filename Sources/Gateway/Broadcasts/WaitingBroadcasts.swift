import GatewayStore
import Reactor
import ShareCore

/// The unfinished broadcasts of all gateways, in fair shares of their tenants. A tenant without any always gets one,
/// because the limit is only a safeguard. From any thread.
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

    /// Admits a broadcast; nil if it is refused. It counts until it has begun, or the hold is released.
    /// - Parameter resting: The number of broadcasts that only wait for retries.
    func hold(tenantID: String, weight: Int, resting: Int) -> Hold? {
        shares.withLock { $0.letIn(tenantID, weight: weight, idle: resting) } ? Hold(self, tenantID) : nil
    }

    /// Returns the tenants that would be refused another broadcast.
    func fullTenants(_ weights: TenantWeights, resting: Int) -> [String] {
        shares.withLock { $0.fullHolders(idle: resting) { weights[$0] } }
    }

    /// The state before a query of a shard's count, to be passed on with the answer.
    var question: Question { shares.withLock { $0.question } }

    func heard(_ taken: TakenJobs, shard: Int, asked question: Question) {
        shares.withLock { $0.heard(taken.unfinishedOf, used: taken.unfinished, in: shard, asked: question) }
    }

    func heardOfNone(shard: Int, asked question: Question) {
        shares.withLock { $0.heard([:], used: 0, in: shard, asked: question) }
    }

    func began(tenantID: String, shard: Int) { shares.withLock { $0.began(tenantID, in: shard) } }

    /// The number of unfinished broadcasts, as of a moment ago.
    var count: Int { shares.withLock { $0.used } }

    /// Returns the number of a tenant's unfinished broadcasts, as of a moment ago.
    func count(ofTenant tenantID: String) -> Int { shares.withLock { max(0, $0.held(by: tenantID)) } }

    /// Returns the maximum of a tenant while others have none.
    func most(weight: Int) -> Int { rule.most(weight: weight) }

    var refusals: UInt64 { shares.withLock { $0.refusals } }

    /// An admitted broadcast that has not begun.
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
