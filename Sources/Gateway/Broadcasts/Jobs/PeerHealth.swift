import BroadcastCore
public import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// The behavior of a gateway that cannot push. Its broadcasts are marked as paused, and it hands them over if other
/// gateways can push. On the reactor, if not said otherwise.
final class PeerHealth {
    private let context: JobContext
    private let table: JobTable
    /// The engines of the providers whose jobs are left to others, because these can push and this gateway cannot.
    private var letGo: Set<ObjectIdentifier> = []
    /// Since when the gateway knows that others can push with a provider's key while it cannot.
    private var othersCan: [ObjectIdentifier: MonotonicTime] = [:]
    /// The value of `pauses`, by engine.
    private let publishedPauses = Locked<[ObjectIdentifier: PushPause]>([:])
    private var nextExchange = MonotonicTime(nanoseconds: 0)

    /// The period in which gateways exchange the health of their providers.
    private static let period = TimeInterval.seconds(2)
    /// The period during a pause.
    private static let pausedPeriod = TimeInterval.milliseconds(500)
    /// The age at which another gateway's report expires.
    private static let maximumAge = TimeInterval.seconds(7)

    init(_ context: JobContext, _ table: JobTable) {
        self.context = context
        self.table = table
    }

    func begin() {
        for provider in context.apps.providers { provider.add(HealthListener(self, provider)) }
    }

    /// True if every provider's jobs are left to other gateways: no job is taken then. Providers with unknown ability
    /// do not count.
    var hasLetGo: Bool {
        !letGo.isEmpty
            && context.apps.providers.allSatisfy { letGo.contains($0.engine) || $0.ability == .unknown }
    }

    /// True if a provider's jobs are left to other gateways.
    func isLetGo(_ provider: any PushProvider) -> Bool { letGo.contains(provider.engine) }

    /// True if a tenant's job is left to other gateways.
    func isLetGo(_ tenantID: String, _ job: JobTicket) -> Bool {
        !letGo.isEmpty
            && (context.provider(of: tenantID, job).map { letGo.contains($0.engine) } ?? false)
    }

    /// The providers that cannot push now, with their reasons. From any thread.
    var pauses: [PushPause] { publishedPauses.withLock { Array($0.values) } }

    /// True if all devices of an activity are left to other gateways, which can push. From any thread.
    func isLeftToOthers(_ record: ActivityRecord) -> Bool {
        publishedPauses.withLock { pauses in
            guard !pauses.isEmpty else { return false }
            let engines = record.routeKinds.compactMap {
                context.apps.broadcaster(of: record.activity.tenantID, over: $0)?.provider.engine
            }
            return !engines.isEmpty && engines.allSatisfy { pauses[$0]?.areJobsLeftToOthers ?? false }
        }
    }

    private func publishPause(_ provider: any PushProvider) {
        var pause: PushPause?
        if case .paused(let reason, _) = provider.health {
            pause = PushPause(
                identity: provider.identity, reason: reason,
                areJobsLeftToOthers: letGo.contains(provider.engine))
        }
        publishedPauses.withLock { $0[provider.engine] = pause }
    }

    fileprivate func healthChanged(_ provider: any PushProvider) {
        defer { publishPause(provider) }
        var seen: Set<UniqueID> = []
        for run in table.runs(of: provider.engine) where seen.insert(run.order.id).inserted {
            noteHealth(of: run.order)
        }
        if provider.health.isPaused {
            table.makeWay()
        } else {
            table.takePlaces(of: provider)
            takeUp(provider)
        }
        exchange(provider)
    }

    /// Records in a broadcast if any of its jobs here is paused.
    func noteHealth(of order: BroadcastOrder) {
        for (ticket, run) in table.runs where run.order.id == order.id {
            if case .paused(let reason, _) = context.provider(of: order.activity.tenantID, ticket)?.health {
                return context.store.broadcasts.notePaused(order, reason.name)
            }
        }
        context.store.broadcasts.noteResumed(order)
    }

    // MARK: The exchange

    /// Exchanges the health of providers with other gateways when due. Called in each tick.
    func exchangeIfDue() {
        guard context.reactor.now >= nextExchange else { return }
        let isPaused = context.apps.providers.contains { $0.health.isPaused }
        nextExchange = context.reactor.now + (isPaused ? PeerHealth.pausedPeriod : PeerHealth.period)
        stopRefused()
        table.makeWay()
        for provider in context.apps.providers { exchange(provider) }
    }

    private func exchange(_ provider: any PushProvider) {
        guard !context.isStopping else { return }
        let report = PushHealthReport(
            provider.report(now: context.reactor.now),
            resting: context.unfinished.restingHere(provider.engine))
        context.store.health.exchangePushHealth(
            of: provider.identity, as: context.gateway, report, maximumAge: PeerHealth.maximumAge
        ) { [weak self] result in
            guard let self, !context.isStopping, case .success(let peers) = result else { return }
            context.unfinished.rest(elsewhere: peers.resting, provider.engine)
            // The provider's health may have changed since the report.
            let own = provider.report(now: context.reactor.now)
            carryOut(duty(provider, own, PeerAbilities(peers.pushes, seenBy: own)), provider)
        }
    }

    private func duty(_ provider: any PushProvider, _ own: PushReport, _ peers: PeerAbilities)
        -> PushDuty
    {
        let since = othersCan[provider.engine]
        othersCan[provider.engine] =
            own.ability == .cannot && peers.can > 0 ? since ?? context.reactor.now : nil
        let known = since.map { context.reactor.now - $0 }
        return PushDuty(own, hasLetGo: letGo.contains(provider.engine), othersCan: known, peers: peers)
    }

    private func carryOut(_ duty: PushDuty, _ provider: any PushProvider) {
        switch duty {
        case .goOn: break
        case .letGo: if case .paused(let reason, _) = provider.health { letGo(of: provider, reason) }
        case .takeUp: takeUp(provider)
        case .probe:
            provider.probe()
            // The other gateways need the result soon.
            nextExchange = min(nextExchange, context.reactor.now + PeerHealth.pausedPeriod)
        }
    }

    /// Accepts jobs of a provider again: it has recovered, or no other gateway can push either.
    private func takeUp(_ provider: any PushProvider) {
        guard letGo.remove(provider.engine) != nil else { return }
        context.tell(.tookUp(provider.identity))
        publishPause(provider)
        context.taker?.poll()
    }

    private func letGo(of provider: any PushProvider, _ reason: PauseReason) {
        if letGo.insert(provider.engine).inserted {
            context.metrics.counts.lettingsGo += 1
            context.tell(.letGo(provider.identity, reason: reason.name))
        }
        for run in table.runs(of: provider.engine) {
            context.store.broadcasts.noteResumed(run.order)
            run.letGo()
        }
        table.giveBackWaiting { job, order in isLetGo(order.activity.tenantID, job) }
        publishPause(provider)
    }

    // MARK: Refused credentials

    /// Stops a run whose provider refuses the credential that another host accepts, because a retry fails too. An
    /// example is a key for production alone, and phones of developers at the sandbox. A start that goes to that
    /// provider alone waits, because its activity cannot be started again.
    /// - Returns: True if the run is stopped.
    func refuse(_ run: BroadcastRun) -> Bool {
        let (order, apps, tenantID) = (run.order, context.apps, run.order.activity.tenantID)
        guard let provider = context.provider(of: tenantID, run.ticket), let reason = refusal(provider)
        else {
            return false
        }
        let isOnly = apps.routeKinds(of: tenantID).allSatisfy {
            order.pages(of: .list($0)).isEmpty
                || apps.broadcaster(of: tenantID, over: $0)?.provider.engine == provider.engine
        }
        return !(order.kind == .start && isOnly) && run.refuse(reason)
    }

    /// The reason to stop sending through a provider; nil if a retry may succeed. The provider has refused the
    /// credential for a while, and another provider accepts it.
    private func refusal(_ provider: any PushProvider) -> String? {
        guard case .paused(let reason, let since) = provider.health, reason.kind == .credential,
            context.reactor.now - since >= context.settings.refusalPatience,
            context.apps.providers.contains(where: { isWell($0, with: provider.identity.account) })
        else { return nil }
        return reason.name
    }

    private func isWell(_ provider: any PushProvider, with account: ProviderAccount) -> Bool {
        provider.identity.account == account && !provider.health.isPaused && provider.ability == .can
    }

    /// Stops the starts and updates that are sent through refusing providers. The rest counts as failed, with the
    /// provider's reason.
    private func stopRefused() {
        for provider in context.apps.providers where refusal(provider) != nil {
            for run in table.runs(of: provider.engine) { _ = refuse(run) }
            // No push of a broadcast probes the provider any more.
            if provider.room > 0 { provider.probe() }
        }
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

/// Forwards a provider's health changes.
private final class HealthListener: RoomListener {
    private weak var health: PeerHealth?
    private let provider: any PushProvider

    init(_ health: PeerHealth, _ provider: any PushProvider) {
        self.health = health
        self.provider = provider
    }

    func roomGrew() {}
    var pushesWaiting: Int { 0 }
    func healthChanged() { health?.healthChanged(provider) }
}
