import GatewayStore
import Reactor

/// The unfinished broadcasts of all gateways, and the number of those that have only retries left for a while. What
/// rests is counted on the reactor; admission and published counts are from any thread.
final class UnfinishedBroadcasts {
    let shares: WaitingBroadcasts
    /// The weights of the tenants' shares.
    let weights = TenantWeights()
    /// Jobs that are all of their broadcast and have only retries left that are not due, with the provider's engine.
    private var restingHere: [JobTicket: ObjectIdentifier] = [:]
    /// The numbers of other gateways, by engine.
    private var restingElsewhere: [ObjectIdentifier: Int] = [:]
    private let publishedResting = Locked(0)

    init(capacity: Int) { shares = WaitingBroadcasts(capacity: capacity) }

    /// The number of resting broadcasts, as of a moment ago. From any thread.
    var resting: Int { publishedResting.withLock { $0 } }

    /// Admits a broadcast of a tenant; nil if it is refused. From any thread.
    func hold(tenantID: String) -> WaitingBroadcasts.Hold? {
        shares.hold(tenantID: tenantID, weight: weights[tenantID], resting: resting)
    }

    /// The tenants that would be refused another broadcast. From any thread.
    var fullTenants: [String] { shares.fullTenants(weights, resting: resting) }

    /// The number of broadcasts that do not rest.
    var busy: Int { max(0, shares.count - countResting()) }

    func rests(_ job: JobTicket, _ engine: ObjectIdentifier) {
        restingHere[job] = engine
        publish()
    }

    /// The job rests no more.
    func resumed(_ job: JobTicket) {
        if restingHere.removeValue(forKey: job) != nil { publish() }
    }

    /// Returns the number of this gateway's resting broadcasts of an engine.
    func restingHere(_ engine: ObjectIdentifier) -> Int { restingHere.values.count { $0 == engine } }

    func rest(elsewhere count: Int, _ engine: ObjectIdentifier) {
        restingElsewhere[engine] = count
        publish()
    }

    private func publish() {
        let count = countResting()
        publishedResting.withLock { $0 = count }
    }

    private func countResting() -> Int { restingHere.count + restingElsewhere.values.reduce(0, +) }
}
