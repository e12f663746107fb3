import BroadcastCore
public import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// What a gateway does while it cannot push: its broadcasts are noted as paused, and when others can push it lets go of
/// them.
extension JobWorker {
    /// How often gateways tell each other whether they can push.
    private static let healthPeriod = TimeInterval.seconds(2)
    /// The same while a pause has to do with what others say.
    private static let pausedPeriod = TimeInterval.milliseconds(500)
    /// What was told longer ago counts for nothing.
    private static let healthAge = TimeInterval.seconds(7)

    /// Whether no push of any app goes out here while others can send them: no job is taken then. A provider that has
    /// had nothing to push makes no difference.
    var hasLetGo: Bool {
        !letGo.isEmpty && apps.providers.allSatisfy { letGo.contains($0.engine) || $0.ability == .unknown }
    }

    /// Who sends a job's pushes; nil when nobody does.
    func provider(of tenantID: String, _ job: JobTicket) -> (any PushProvider)? {
        apps.broadcaster(of: tenantID, for: job.part)?.provider
    }

    /// Whether a job of a tenant is better left to others.
    func isLetGo(_ tenantID: String, _ job: JobTicket) -> Bool {
        !letGo.isEmpty && (provider(of: tenantID, job).map { letGo.contains($0.engine) } ?? false)
    }

    /// The providers that cannot push now, each with its reason. From any thread.
    public var pauses: [PushPause] { publishedPauses.withLock { Array($0.values) } }

    /// Whether others can push to all devices of an activity and this gateway to none. From any thread.
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

    /// The runs whose pushes go through an engine.
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

    /// Notes in a broadcast's record whether any of it that is sent here is paused.
    func noteHealth(of order: BroadcastOrder) {
        for (ticket, run) in runs where run.order.id == order.id {
            if case .paused(let reason, _) = provider(of: order.activity.tenantID, ticket)?.health {
                return store.broadcasts.notePaused(order, reason.name)
            }
        }
        store.broadcasts.noteResumed(order)
    }

    /// Called with each look; tells the others how this gateway fares, and hears how they do.
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
        let restingHere = resting.values.count { $0 == provider.engine }
        let report = PushHealthReport(provider.report(now: reactor.now), resting: restingHere)
        store.health.exchangePushHealth(
            of: provider.identity, as: gateway, report, maximumAge: JobWorker.healthAge
        ) { [weak self] result in
            guard let self, !isStopping, case .success(let peers) = result else { return }
            restingElsewhere[provider.engine] = peers.resting
            publish()
            // It may be well again by now, or have fallen ill.
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
                // What comes of it is news to others.
                nextHealthExchange = min(nextHealthExchange, reactor.now + JobWorker.pausedPeriod)
            }
        }
    }

    /// Nobody else can push either: the jobs are as well kept here as anywhere, and starts are taken again.
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

/// A provider that cannot push, and why.
public struct PushPause: Equatable, Sendable {
    /// The provider, and whose credential it is.
    public let identity: ProviderIdentity
    /// Why nothing is sent but single pushes that try it.
    public let reason: PauseReason
    /// Whether other gateways can, and have been left its jobs.
    public let areJobsLeftToOthers: Bool
}

/// Hears of a provider's health for the job worker.
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
