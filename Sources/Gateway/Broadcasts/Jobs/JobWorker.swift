import BroadcastCore
import Delivery
public import GatewayStore
public import LiveActivity
public import Reactor
public import TimeCore

/// Works on the broadcasts of all gateways. It takes jobs from the store as its capacity allows, renews and runs them,
/// and hands them over when the gateway stops. Its parts do that: it makes them and passes calls on. Confined to the
/// reactor.
public final class JobWorker: @unchecked Sendable {
    private let context: JobContext
    private let table: JobTable
    private let health: PeerHealth
    private let starter: JobStarter
    private let due: DueRunner
    private let poller: ShardPoller
    private let held: HeldSender
    /// The live topics that wait for their start.
    public let topicStarts = TopicStartDelays()
    private var timer: ReactorTimer?

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
            store: store, reactor: reactor, apps: apps, settings: settings, random: random,
            onEvent: onEvent)
        table = JobTable(context)
        let runner = JobRunner(context, table, JobEventPublisher(context, table, eventStore ?? store))
        health = PeerHealth(context, table)
        starter = JobStarter(context, table, health, runner)
        due = DueRunner(context, health)
        poller = ShardPoller(context, table, health, starter, due)
        held = HeldSender(context, table, health, runner)
        context.taker = self
        due.jobs = self
    }

    var apps: AppDirectory { context.apps }
    var settings: JobSettings { context.settings }

    // MARK: Start and stop

    /// Begins to take jobs. From any thread; once.
    public func start() {
        context.reactor.execute { self.begin() }
    }

    private func begin() {
        for provider in context.apps.providers {
            provider.maySend = { [weak table] in table?.leases.mayWork($0) ?? true }
        }
        health.begin()
        context.store.erasures.onBeginning { [weak self] in await self?.goOn(with: $0) }
        tick()
    }

    /// Continues the erasure of a replaced device, while the report of its successor waits. The ends of Live Activities
    /// follow later.
    private func goOn(with erasure: Erasure) async {
        _ = try? await BroadcastService(store: context.store, jobs: self).erase(
            erasure, patience: .zero)
    }

    /// Polls and renews, ten times a second.
    private func tick() {
        assert(context.reactor.isOnReactor)
        timer = context.reactor.schedule(after: context.settings.period) { [weak self] in self?.tick() }
        table.renewIfDue()
        guard !context.isStopping else { return }
        health.exchangeIfDue()
        poller.tick()
        table.lookForStops(context.store)
        starter.checkWaiting(of: nil)
    }

    /// The gateway stops: takes no more jobs, gives back those that wait, and finishes the pages that are open. Returns
    /// when nothing is left here, at the latest after `limit`; what is left then is handed over, and the providers may
    /// be shut down. From any thread.
    public func reachCheckpoint(within limit: TimeInterval) async {
        await context.reactor.call(stopped: ()) { [self] done in
            context.stop()
            table.reachCheckpoint(within: limit) { done(()) }
        }
    }

    /// Returns when all jobs have ended or been handed over, at the latest after `limit`. Callers that wait for a
    /// broadcast get its counts so far. From any thread.
    public func stop(within limit: TimeInterval) async {
        await context.reactor.call(stopped: ()) { [self] done in
            table.waitUntilEmpty(until: context.reactor.now + limit) { [self] in
                if let timer { context.reactor.cancel(timer) }
                context.watch.stop()
                done(())
            }
        }
    }

    // MARK: Broadcasts

    /// A broadcast was recorded: its jobs are taken at once if there is capacity, and those that it replaces stop.
    /// From any thread.
    public func begun(_ order: BroadcastOrder) {
        let shard = StoredJobs.shard(of: order.activity.id)
        context.unfinished.shares.began(tenantID: order.activity.tenantID, shard: shard)
        context.reactor.execute { [self] in
            context.metrics.counts.recorded[order.kind, default: 0] += 1
            context.tell(.recorded(order))
            table.supersede(order.superseded)
            poller.lookForNew(order, shard) { [starter] in starter.checkWaiting(of: order.activity.id) }
        }
    }

    /// Waits for the end of a broadcast on any gateway, or for `timeout`. Nil if the store does not answer.
    public func wait(
        for id: UniqueID, in activity: UniqueID, timeout: TimeInterval
    ) async -> BroadcastRecord? {
        await context.reactor.call(stopped: nil) { [self] done in
            guard !context.isStopping else { return done(nil) }
            context.watch.wait(for: id, in: activity, until: context.reactor.now + timeout) { done($0) }
        }
    }

    /// A Live Activity that was ended has reported its token only now: the first free gateway ends it.
    /// Returns when that is recorded.
    public func endLate(
        by broadcast: UniqueID, in activity: UniqueID, slot: UInt32
    ) async throws(StoreError) {
        try await context.store.jobs.add(slot: slot, of: broadcast, in: activity)
        context.reactor.execute { self.poller.look(StoredJobs.shard(of: activity)) }
    }

    /// A device whose Live Activity had ended reports that one is there: it is ended, and nothing is pushed to it but
    /// this. Returns when that is recorded, or when the activity has ended meanwhile, which ends the Live Activity as
    /// well.
    public func endAgain(_ record: ActivityRecord, slot: UInt32, _ reason: EndReason)
        async throws(StoreError)
    {
        var draft = BroadcastDraft(
            id: .random(), kind: .end, scope: .slots([slot]),
            payload: .end(content: nil, options: PresentationOptions()), priority: 10,
            expiration: (context.store.wallClock() + JobWorker.shownAfterEnd).seconds)
        draft.endReason = reason
        draft.origin.source = .device
        guard case .success(let order) = try await context.store.broadcasts.begin(draft, for: record)
        else { return }
        // From here on another report sends this end, in place of an end of its own.
        try? await context.store.roster.remember([slot], endedBy: order.id, in: record.activity)
        begun(order)
    }

    /// For how long a phone shows an ended Live Activity.
    static let shownAfterEnd = TimeInterval.seconds(4 * 3600)

    /// A device has reported its token after the newest update: the first free gateway sends it that update. Returns
    /// when that is recorded.
    public func catchUp(
        with update: MissedUpdate, in activity: Activity, slot: UInt32
    ) async throws(StoreError) {
        try await context.store.reports.addCatchUp(update, in: activity, slot: slot)
        context.reactor.execute { self.poller.look(StoredJobs.shard(of: activity.id)) }
    }

    /// Drives a topic now, before the next poll. From any thread.
    public func seeTo(_ topic: TopicID) {
        context.reactor.execute { self.due.drive(topic) }
    }

    /// Passes on an event of a broadcast. From any thread.
    func tell(_ event: JobEvent) {
        context.reactor.execute { self.context.tell(event) }
    }

    // MARK: Broadcasts whose job is held

    /// The outcome of an update whose job this gateway tried to hold.
    enum HeldResult: Sendable {
        case ended(BroadcastRecord)
        /// The update is recorded. Its end is waited for like any other.
        case recorded(BroadcastOrder)
        /// The caller records the update under the same id, unless it is recorded already.
        case declined
    }

    /// Activities that need no read before their next update.
    var recentActivities: RecentActivities { table.recentActivities }

    /// Records an update and sends it at once, if its job can be held here. From any thread.
    func begin(_ draft: BroadcastDraft, for record: ActivityRecord) async -> HeldResult {
        await context.reactor.call(stopped: .declined) { [self] done in begin(draft, for: record, done) }
    }

    /// Records an update and sends it at once, if its job can be held here. On the reactor.
    /// - Parameter isChecked: False if the activity was not read for this update, which may then have no device.
    func begin(
        _ draft: BroadcastDraft, for record: ActivityRecord, isChecked: Bool = true,
        _ completion: @escaping @Sendable (HeldResult) -> Void
    ) {
        held.begin(draft, for: record, isChecked: isChecked, completion)
    }

    /// Runs `body` on the reactor, and returns what it passes on; nil if the reactor has stopped.
    func onReactor<Value: Sendable>(
        _ body: @escaping @Sendable (@escaping @Sendable (Result<Value?, any Error>) -> Void) -> Void
    ) async throws -> Value? {
        try await context.reactor.call(stopped: .success(nil), body).get()
    }

    // MARK: The state, from any thread

    /// Beside whom tenants are to have how much.
    public var weights: TenantWeights { context.unfinished.weights }

    /// The unfinished broadcasts of a tenant on all gateways, as of a moment ago.
    public func unfinishedBroadcasts(ofTenant tenantID: String) -> Int {
        context.unfinished.shares.count(ofTenant: tenantID)
    }

    /// The most broadcasts of a tenant that may be unfinished while others have none.
    public func mostUnfinishedBroadcasts(weight: Int) -> Int {
        context.unfinished.shares.most(weight: weight)
    }

    /// Admits a broadcast of a tenant; nil if it is refused.
    func hold(tenantID: String) -> WaitingBroadcasts.Hold? {
        context.unfinished.hold(tenantID: tenantID)
    }

    /// The providers that cannot push now, with their reasons.
    public var pauses: [PushPause] { health.pauses }

    /// True if all devices of an activity are left to other gateways, which can push.
    func isLeftToOthers(_ record: ActivityRecord) -> Bool { health.isLeftToOthers(record) }

    /// Returns the current state, all zero after the reactor's end.
    public func snapshot() async -> JobSnapshot {
        await context.reactor.call(stopped: JobSnapshot()) { [self] done in
            done(table.snapshot(context))
        }
    }
}

extension JobWorker: JobTaker {
    func lookAfterEnd(_ shard: Int) { poller.lookAfterEnd(shard) }
    func checkWaiting(of activity: UniqueID?) { starter.checkWaiting(of: activity) }
    func poll() { poller.poll() }
}
