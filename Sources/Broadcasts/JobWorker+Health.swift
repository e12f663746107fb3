import BroadcastCore
import GatewayStore
import LiveActivity
import PushClient
public import PushProtocol
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
                key: client.providerKey, authority: client.authority, reason: reason,
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
        if !client.health.isPaused, letGo.remove(ObjectIdentifier(client)) != nil { tell(.tookUp(client.providerKey)) }
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
        store.exchangePushHealth(
            of: client.providerKey, at: client.authority, as: gateway,
            isServing: !client.health.isPaused && client.readyConnections > 0, maximumAge: JobWorker.healthAge
        ) { [weak self] result in
            guard let self, !isStopping, case .success(let others) = result, others > 0 else { return }
            // It may be well again by now. A pause of a moment is the provider's, and everybody's.
            guard case .paused(let reason, let since) = client.health, reactor.now - since >= JobWorker.leastPause
            else {
                return
            }
            letGo(of: client, reason)
        }
    }

    /// How long a pause lasts before the jobs are given to those who can push.
    private static let leastPause = TimeInterval.seconds(1)

    private func letGo(of client: PushClient, _ reason: PauseReason) {
        if letGo.insert(ObjectIdentifier(client)).inserted {
            measures.counts.lettingsGo += 1
            tell(.letGo(client.providerKey, reason: reason.name))
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
    public let key: ProviderKeyName
    /// Host and port of the provider.
    public let authority: String
    public let reason: PauseReason
    /// Whether other gateways can, and have been left its jobs.
    public let areJobsLeftToOthers: Bool
}

/// Hears of the clients' health for the job worker.
final class HealthListener: PushRoomListener {
    private weak var worker: JobWorker?

    init(_ worker: JobWorker) {
        self.worker = worker
    }

    func roomGrew(_ client: PushClient) {}
    var pushesWaiting: Int { 0 }
    func healthChanged(_ client: PushClient) { worker?.healthChanged(client) }
}
