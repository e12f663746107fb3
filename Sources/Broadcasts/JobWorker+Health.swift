import BroadcastCore
public import Delivery
import GatewayStore
import LiveActivity
import PushClient
import Reactor
import TimeCore

/// What a gateway does while it cannot push: its broadcasts are noted as paused, and when others can push it lets go of
/// them.
extension JobWorker {
    /// How often gateways tell each other whether they can push.
    private static let healthPeriod = TimeInterval.seconds(2)
    /// What was told longer ago counts for nothing.
    private static let healthAge = TimeInterval.seconds(7)

    /// Whether no push of any app goes out here while others can send them: no job is taken then.
    var hasLetGo: Bool { !letGo.isEmpty && apps.clients.allSatisfy { letGo.contains(ObjectIdentifier($0)) } }

    /// Whether the jobs of a tenant are better left to others.
    func isLetGo(_ tenantID: String) -> Bool {
        !letGo.isEmpty && letGo.contains(ObjectIdentifier(apps.broadcaster(of: tenantID).client))
    }

    /// The clients that cannot push now, each with its reason. From any thread.
    public var pauses: [PushPause] { publishedPauses.withLock { Array($0.values) } }

    /// Whether others can push for this tenant and this gateway cannot. From any thread.
    func isLeftToOthers(_ tenantID: String) -> Bool {
        let client = ObjectIdentifier(apps.broadcaster(of: tenantID).client)
        return publishedPauses.withLock { $0[client]?.areJobsLeftToOthers ?? false }
    }

    private func publishPause(_ client: PushClient) {
        var pause: PushPause?
        if case .paused(let reason, _) = client.health {
            pause = PushPause(
                identity: client.identity, reason: reason,
                areJobsLeftToOthers: letGo.contains(ObjectIdentifier(client)))
        }
        publishedPauses.withLock { $0[ObjectIdentifier(client)] = pause }
    }

    func healthChanged(_ client: PushClient) {
        defer { publishPause(client) }
        var seen: Set<UniqueID> = []
        for run in Array(runs.values) where apps.broadcaster(of: run.order.activity.tenantID).client === client {
            if seen.insert(run.order.id).inserted { noteHealth(of: run.order) }
        }
        if !client.health.isPaused { takeUp(client) }
        exchangeHealth(client)
    }

    /// Notes in a broadcast's record whether it is paused.
    func noteHealth(of order: BroadcastOrder) {
        switch apps.broadcaster(of: order.activity.tenantID).client.health {
        case .healthy: store.noteResumed(order)
        case .paused(let reason, _): store.notePaused(order, reason.name)
        }
    }

    /// Called with each look; tells the others how this gateway fares, and hears how they do.
    func exchangeHealthIfDue() {
        guard reactor.now >= nextHealthExchange else { return }
        nextHealthExchange = reactor.now + JobWorker.healthPeriod
        for client in apps.clients { exchangeHealth(client) }
    }

    private func exchangeHealth(_ client: PushClient) {
        guard !isStopping else { return }
        let restingHere = resting.values.count { $0 == ObjectIdentifier(client) }
        let report = PushHealthReport(ability(of: client), resting: restingHere)
        store.exchangePushHealth(
            of: client.identity, as: gateway, report, maximumAge: JobWorker.healthAge
        ) { [weak self] result in
            guard let self, !isStopping, case .success(let peers) = result else { return }
            restingElsewhere[ObjectIdentifier(client)] = peers.resting
            publish()
            // It may be well again by now, or have fallen ill.
            var paused = TimeInterval.zero
            var reason: PauseReason?
            if case .paused(let cause, let since) = client.health { (reason, paused) = (cause, reactor.now - since) }
            let hasLetGo = letGo.contains(ObjectIdentifier(client))
            switch PushDuty(ability(of: client), paused: paused, hasLetGo: hasLetGo, peers: peers.abilities) {
            case .goOn: break
            case .letGo: if let reason { letGo(of: client, reason) }
            case .takeUp: takeUp(client)
            case .probe: apps.probe(client)
            }
        }
    }

    private func ability(of client: PushClient) -> PushAbility {
        client.health.isPaused ? .cannot : client.readyConnections > 0 ? .can : .unknown
    }

    /// Nobody else can push either: the jobs are as well kept here as anywhere, and starts are taken again.
    private func takeUp(_ client: PushClient) {
        guard letGo.remove(ObjectIdentifier(client)) != nil else { return }
        tell(.tookUp(client.identity))
        publishPause(client)
        poll()
    }

    private func letGo(of client: PushClient, _ reason: PauseReason) {
        if letGo.insert(ObjectIdentifier(client)).inserted {
            measures.counts.lettingsGo += 1
            tell(.letGo(client.identity, reason: reason.name))
        }
        for run in Array(runs.values) where apps.broadcaster(of: run.order.activity.tenantID).client === client {
            store.noteResumed(run.order)
            run.letGo()
        }
        for (job, order) in waiting where isLetGo(order.activity.tenantID) {
            waiting[job] = nil
            giveBack(job)
        }
        publishPause(client)
    }
}

/// A push client that cannot push, and why.
public struct PushPause: Equatable, Sendable {
    public let identity: ProviderIdentity
    public let reason: PauseReason
    /// Whether other gateways can, and have been left its jobs.
    public let areJobsLeftToOthers: Bool
}

/// Hears of the clients' health for the job worker.
final class HealthListener: RoomListener {
    private weak var worker: JobWorker?

    init(_ worker: JobWorker) {
        self.worker = worker
    }

    func roomGrew(_ client: PushClient) {}
    var pushesWaiting: Int { 0 }
    func healthChanged(_ client: PushClient) { worker?.healthChanged(client) }
}
