import BroadcastCore
public import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// The behavior of a gateway that cannot push. Its broadcasts are marked as paused, and it hands them over if other
/// gateways can push.
extension JobWorker {
    /// The period in which gateways exchange the health of their providers.
    private static let healthPeriod = TimeInterval.seconds(2)
    /// The period during a pause.
    private static let pausedPeriod = TimeInterval.milliseconds(500)
    /// The age at which another gateway's report expires.
    private static let healthAge = TimeInterval.seconds(7)

    /// True if every provider's jobs are left to other gateways: no job is taken then. Providers with unknown ability
    /// do not count.
    var hasLetGo: Bool {
        !letGo.isEmpty && apps.providers.allSatisfy { letGo.contains($0.engine) || $0.ability == .unknown }
    }

    func provider(of tenantID: String, _ job: JobTicket) -> (any PushProvider)? { context.provider(of: tenantID, job) }

    /// True if a tenant's job is left to other gateways.
    func isLetGo(_ tenantID: String, _ job: JobTicket) -> Bool {
        !letGo.isEmpty && (provider(of: tenantID, job).map { letGo.contains($0.engine) } ?? false)
    }

    /// The providers that cannot push now, with their reasons. From any thread.
    public var pauses: [PushPause] { publishedPauses.withLock { Array($0.values) } }

    /// True if all devices of an activity are left to other gateways, which can push. From any thread.
    func isLeftToOthers(_ record: ActivityRecord) -> Bool {
        publishedPauses.withLock { pauses in
            guard !pauses.isEmpty else { return false }
            let engines = record.routeKinds.compactMap {
                apps.broadcaster(of: record.activity.tenantID, over: $0)?.provider.engine
            }
            return !engines.isEmpty && engines.allSatisfy { pauses[$0]?.areJobsLeftToOthers ?? false }
        }
    }

    private func publishPause(_ provider: any PushProvider) {
        var pause: PushPause?
        if case .paused(let reason, _) = provider.health {
            pause = PushPause(
                identity: provider.identity, reason: reason, areJobsLeftToOthers: letGo.contains(provider.engine))
        }
        publishedPauses.withLock { $0[provider.engine] = pause }
    }

    /// Returns the runs that push through an engine.
    func runs(of engine: ObjectIdentifier) -> [BroadcastRun] {
        runs.values.filter { provider(of: $0.order.activity.tenantID, $0.ticket)?.engine == engine }
    }

    func healthChanged(_ provider: any PushProvider) {
        defer { publishPause(provider) }
        var seen: Set<UniqueID> = []
        for run in runs(of: provider.engine) where seen.insert(run.order.id).inserted { noteHealth(of: run.order) }
        if provider.health.isPaused {
            makeWay()
        } else {
            takePlaces(of: provider)
            takeUp(provider)
        }
        exchangeHealth(provider)
    }

    /// Records in a broadcast if any of its jobs here is paused.
    func noteHealth(of order: BroadcastOrder) {
        for (ticket, run) in runs where run.order.id == order.id {
            if case .paused(let reason, _) = provider(of: order.activity.tenantID, ticket)?.health {
                return store.broadcasts.notePaused(order, reason.name)
            }
        }
        store.broadcasts.noteResumed(order)
    }

    /// Exchanges the health of providers with other gateways when due. Called at each poll.
    func exchangeHealthIfDue() {
        guard reactor.now >= nextHealthExchange else { return }
        let isPaused = apps.providers.contains { $0.health.isPaused }
        nextHealthExchange = reactor.now + (isPaused ? JobWorker.pausedPeriod : JobWorker.healthPeriod)
        stopRefused()
        makeWay()
        for provider in apps.providers { exchangeHealth(provider) }
    }

    private func exchangeHealth(_ provider: any PushProvider) {
        guard !isStopping else { return }
        let restingHere = context.unfinished.restingHere(provider.engine)
        let report = PushHealthReport(provider.report(now: reactor.now), resting: restingHere)
        store.health.exchangePushHealth(
            of: provider.identity, as: gateway, report, maximumAge: JobWorker.healthAge
        ) { [weak self] result in
            guard let self, !isStopping, case .success(let peers) = result else { return }
            context.unfinished.rest(elsewhere: peers.resting, provider.engine)
            // The provider's health may have changed since the report.
            let own = provider.report(now: reactor.now)
            let abilities = PeerAbilities(peers.pushes, seenBy: own)
            let hasLetGo = letGo.contains(provider.engine)
            let since = othersCan[provider.engine]
            othersCan[provider.engine] = own.ability == .cannot && abilities.can > 0 ? since ?? reactor.now : nil
            let known = since.map { reactor.now - $0 }
            switch PushDuty(own, hasLetGo: hasLetGo, othersCan: known, peers: abilities) {
            case .goOn: break
            case .letGo: if case .paused(let reason, _) = provider.health { letGo(of: provider, reason) }
            case .takeUp: takeUp(provider)
            case .probe:
                provider.probe()
                // The other gateways need the result soon.
                nextHealthExchange = min(nextHealthExchange, reactor.now + JobWorker.pausedPeriod)
            }
        }
    }

    /// Accepts jobs of a provider again: it has recovered, or no other gateway can push either.
    private func takeUp(_ provider: any PushProvider) {
        guard letGo.remove(provider.engine) != nil else { return }
        tell(.tookUp(provider.identity))
        publishPause(provider)
        poll()
    }

    private func letGo(of provider: any PushProvider, _ reason: PauseReason) {
        if letGo.insert(provider.engine).inserted {
            metrics.counts.lettingsGo += 1
            tell(.letGo(provider.identity, reason: reason.name))
        }
        for run in runs(of: provider.engine) {
            store.broadcasts.noteResumed(run.order)
            run.letGo()
        }
        for (job, order) in waiting where isLetGo(order.activity.tenantID, job) {
            waiting[job] = nil
            giveBack(job)
        }
        publishPause(provider)
    }
}

/// A provider that cannot push, and the reason.
public struct PushPause: Equatable, Sendable {
    /// The provider and its credential.
    public let identity: ProviderIdentity
    /// The reason for which only probes are sent.
    public let reason: PauseReason
    /// True if other gateways can push and have its jobs.
    public let areJobsLeftToOthers: Bool
}

/// Forwards a provider's health changes to the job worker.
final class HealthListener: RoomListener {
    private weak var worker: JobWorker?
    private let provider: any PushProvider

    init(_ worker: JobWorker, _ provider: any PushProvider) {
        self.worker = worker
        self.provider = provider
    }

    func roomGrew() {}
    var pushesWaiting: Int { 0 }
    func healthChanged() { worker?.healthChanged(provider) }
}
