import BroadcastCore
import Delivery
public import GatewayStore
public import LiveActivity
public import Reactor
public import TimeCore

/// Works on the broadcasts of all gateways. It takes jobs from the store as its capacity allows, renews and runs them,
/// and hands them over when the gateway stops. Confined to the reactor.
public final class JobWorker: @unchecked Sendable {
    let context: JobContext
    /// Publishes events about devices.
    let eventStore: GatewayStore
    var leases: JobLeases<JobTicket>
    /// Jobs that are at work, and those whose turn has not come.
    var runs: [JobTicket: BroadcastRun] = [:]
    var waiting: [JobTicket: BroadcastOrder] = [:]
    /// Updates that are being sent at once, and of which activities that is known to be possible.
    var directs: [JobTicket: DirectRun] = [:]
    var smallSegments = SmallSegments()
    /// Jobs that are being looked at.
    var beingChecked: Set<JobTicket> = []
    var beingGivenBack: Set<JobTicket> = []
    /// Jobs that were given back because their content cannot be read here.
    var unreadable: Set<JobTicket> = []
    /// Due items that are being carried out.
    var dueUnderWay: Set<DueItem> = []
    /// The number of jobs of each lane that the looks under way may bring.
    var asked = JobCapacity(small: 0, first: 0, updates: 0)
    var claims = ClaimTimes()
    var shards: ShardWatch
    /// The last page of shards with new jobs.
    var news: NewsPage?
    var isHearing = false
    /// Runs whose job another gateway has taken, until the provider has answered the pushes under way.
    var lostRuns: [BroadcastRun] = []
    var holds = 0
    var isPolling = false
    var isRenewing = false
    var cursor = 0
    var checkedFrom = 0
    /// Jobs whose events are being published, see `tell`.
    var telling = EventTelling<JobTicket, () -> Void>()
    /// Looks since this gateway had its last job.
    var idleTicks = 0
    /// The engines of the providers whose jobs are left to others, because these can push and this gateway cannot.
    var letGo: Set<ObjectIdentifier> = []
    /// Since when the gateway knows that others can push with a provider's key while it cannot.
    var othersCan: [ObjectIdentifier: MonotonicTime] = [:]
    /// The value of `pauses`, by engine.
    let publishedPauses = Locked<[ObjectIdentifier: PushPause]>([:])
    var nextHealthExchange = MonotonicTime(nanoseconds: 0)
    /// The live topics that wait for their start.
    public let topicStarts = TopicStartDelays()
    var timer: ReactorTimer?

    var store: GatewayStore { context.store }
    var reactor: Reactor { context.reactor }
    var apps: AppDirectory { context.apps }
    var gateway: UniqueID { context.gateway }
    var settings: JobSettings { context.settings }
    var watch: BroadcastWatch { context.watch }
    var metrics: JobMetrics { context.metrics }
    var isStopping: Bool { context.isStopping }
    var random: () -> Double { context.random }
    /// Beside whom tenants are to have how much.
    public var weights: TenantWeights { context.unfinished.weights }

    func tell(_ event: JobEvent) { context.tell(event) }

    /// Takes no job before `start`.
    /// - Parameters:
    ///   - eventStore: the same store by another connection, on another reactor, so that the events of a page do not
    ///     delay pushes.
    ///   - onEvent: called on the reactor with what happens to broadcasts and jobs.
    public init(
        store: GatewayStore, eventStore: GatewayStore? = nil, reactor: Reactor, apps: AppDirectory,
        settings: JobSettings = JobSettings(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        onEvent: (@Sendable (JobEvent) -> Void)? = nil
    ) {
        context = JobContext(
            store: store, reactor: reactor, apps: apps, settings: settings, random: random, onEvent: onEvent)
        self.eventStore = eventStore ?? store
        leases = JobLeases(settings.limits)
        shards = ShardWatch(shards: StoredJobs.jobShards, settings.watch)
    }

    /// Begins to take jobs. From any thread; once.
    public func start() {
        reactor.execute { self.begin() }
    }

    private func begin() {
        for provider in apps.providers {
            provider.maySend = { [weak self] in self?.leases.mayWork($0) ?? true }
            provider.add(HealthListener(self, provider))
        }
        store.erasures.onBeginning { [weak self] in await self?.goOn(with: $0) }
        tick()
    }

    /// The unfinished broadcasts of a tenant on all gateways, as of a moment ago. From any thread.
    public func unfinishedBroadcasts(ofTenant tenantID: String) -> Int {
        context.unfinished.shares.count(ofTenant: tenantID)
    }

    /// The most broadcasts of a tenant that may be unfinished while others have none. From any thread.
    public func mostUnfinishedBroadcasts(weight: Int) -> Int { context.unfinished.shares.most(weight: weight) }

    /// A broadcast was recorded: its jobs are taken at once if there is capacity, and those that it replaces stop.
    /// From any thread.
    public func begun(_ order: BroadcastOrder) {
        context.unfinished.shares.began(
            tenantID: order.activity.tenantID, shard: StoredJobs.shard(of: order.activity.id))
        reactor.execute { [self] in
            let shard = StoredJobs.shard(of: order.activity.id)
            metrics.counts.recorded[order.kind, default: 0] += 1
            tell(.recorded(order))
            for id in order.superseded {
                for run in Array(runs.values) where run.order.id == id { run.supersede() }
            }
            // Others are to have their part of what is large.
            if order.isLarge { store.jobNews.announce(shard) }
            shards.stirred(shard)
            look(shard) { [self] in checkWaiting(of: order.activity.id) }
        }
    }

    /// Waits for the end of a broadcast on any gateway, or for `timeout`. Nil if the store does not answer.
    public func wait(
        for id: UniqueID, in activity: UniqueID, timeout: TimeInterval
    ) async -> BroadcastRecord? {
        await reactor.call(stopped: nil) { [self] done in
            guard !isStopping else { return done(nil) }
            watch.wait(for: id, in: activity, until: reactor.now + timeout) { done($0) }
        }
    }

    /// A Live Activity that was ended has reported its token only now: the first free gateway ends it.
    /// Returns when that is recorded.
    public func endLate(
        by broadcast: UniqueID, in activity: UniqueID, slot: UInt32
    ) async throws(StoreError) {
        try await store.jobs.addLateEnd(by: broadcast, in: activity, slot: slot)
        reactor.execute { self.look(StoredJobs.shard(of: activity)) }
    }

    /// A device whose Live Activity had ended reports that one is there: it is ended, and nothing is pushed to it but
    /// this. Returns when that is recorded, or when the activity has ended meanwhile, which ends the Live Activity as
    /// well.
    public func endAgain(_ record: ActivityRecord, slot: UInt32, _ reason: EndReason) async throws(StoreError) {
        var draft = BroadcastDraft(
            id: .random(), kind: .end, scope: .slots([slot]),
            payload: .end(content: nil, options: PresentationOptions()), priority: 10,
            expiration: (store.wallClock() + JobWorker.shownAfterEnd).seconds)
        draft.endReason = reason
        draft.origin.source = .device
        guard case .success(let order) = try await store.broadcasts.begin(draft, for: record) else { return }
        // From here on another report sends this end, in place of an end of its own.
        try? await store.roster.remember([slot], endedBy: order.id, in: record.activity)
        begun(order)
    }

    /// For how long a phone shows an ended Live Activity.
    static let shownAfterEnd = TimeInterval.seconds(4 * 3600)

    /// A device has reported its token after the newest update: the first free gateway sends it that update. Returns
    /// when that is recorded.
    public func catchUp(
        with update: MissedUpdate, in activity: Activity, slot: UInt32
    ) async throws(StoreError) {
        try await store.reports.addCatchUp(update, in: activity, slot: slot)
        reactor.execute { self.look(StoredJobs.shard(of: activity.id)) }
    }

    // MARK: The rhythm

    /// The number of looks without a job after which a gateway looks less often at the shards that others work on.
    private static let idleAfter = 20
    private static let idleFactor = 3

    /// Polls and renews, ten times a second.
    func tick() {
        assert(reactor.isOnReactor)
        timer = reactor.schedule(after: settings.period) { [weak self] in self?.tick() }
        renewIfDue()
        guard !isStopping else { return }
        exchangeHealthIfDue()
        if leases.isEmpty, dueUnderWay.isEmpty { idleTicks += 1 } else { idleTicks = 0 }
        for (shard, time) in store.due.takeNoted() { shards.isDue(shard, at: time) }
        hearNews()
        poll(includesBusy: idleTicks < JobWorker.idleAfter || idleTicks % JobWorker.idleFactor == 0)
        lookForStops()
        checkWaiting(of: nil)
    }

    private func lookForStops() {
        var broadcasts: [UniqueID: (activity: UniqueID, kinds: Set<RouteKind>)] = [:]
        for run in runs.values {
            broadcasts[run.order.id, default: (run.order.activity.id, [])].kinds.insert(run.ticket.part.routeKind)
        }
        for (id, (activity, kinds)) in broadcasts { lookForStop(id, in: activity, over: Array(kinds)) }
    }

    private func lookForStop(_ id: UniqueID, in activity: UniqueID, over kinds: [RouteKind]) {
        store.jobs.readStop(of: id, in: activity, over: kinds) { [weak self] result in
            guard let self, case .success(let stop) = result else { return }
            for run in Array(runs.values) where run.order.id == id {
                if let reason = stop.stopReason(run.ticket.part.routeKind) { run.stop(reason) }
                if stop.isSuperseded { run.supersede() }
            }
        }
    }

    /// Runs an async call of the store, and what follows on the reactor.
    func ask<Value: Sendable>(
        _ call: @escaping @Sendable () async throws(StoreError) -> Value,
        then body: @escaping (Result<Value, StoreError>) -> Void
    ) {
        context.ask(call, then: body)
    }

    /// Admits a broadcast of a tenant; nil if it is refused. From any thread.
    func hold(tenantID: String) -> WaitingBroadcasts.Hold? { context.unfinished.hold(tenantID: tenantID) }
}
