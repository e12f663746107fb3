import LiveActivity
import Reactor
public import RedisClient
import Synchronization
public import TimeCore

/// Everything that is kept, in Redis, by features. Gateways have no state of their own, so any number of them may share
/// one store.
///
/// Async methods may be called from any thread; those that take a completion belong to the reactor of `redis`.
public final class GatewayStore: StoreFeature {
    let context: StoreContext
    /// The connection to Redis. Its owner shuts it down, after `shutdown`.
    public let redis: RedisClient
    /// The present time.
    public let wallClock: @Sendable () -> WallTime
    /// The bounds of Redis's time. The latest one is the arrival of a request that is read now.
    public let clockBounds: @Sendable () -> ClockBounds
    /// The reliability of `wallClock`.
    public let clockState: @Sendable () -> StoreClock.State

    /// The rules that a configuration may change.
    public var rules: StoreRules { context.rules }

    /// The layout of the store.
    public let layout: StoredLayout
    /// Customers, and the keys that open their calls.
    public let tenants: StoredTenants
    /// The operators of the console.
    public let operators: StoredOperators
    /// The sessions of the console.
    public let sessions: StoredSessions
    /// The SDK requests of the last minute.
    public let rates: RequestRates
    /// The numbers of users and devices of tenants.
    public let usage: TenantUsage
    /// The activities opened by devices that are alive.
    public let opened: OpenedActivities
    /// The schedules of users' apps that count against quotas.
    let reserved: ReservedSchedules
    /// The number of refusals by limits of tenants.
    public let quotaRefusals = QuotaRefusals()
    /// Answers kept for repeated requests.
    public let answers: StoredAnswers
    /// Segments kept by name.
    public let segments: StoredSegments
    /// The devices of activities, with their tokens.
    public let roster: StoredRoster
    /// Devices by their users, with their push-to-start tokens.
    public let devices: StoredDevices
    /// Rejected tokens that get no pushes for a while.
    public let quarantine: TokenQuarantine
    /// Events for tenants.
    public let events: StoredEvents
    /// Webhooks, and the deliveries that wait.
    public let webhooks: StoredWebhooks
    /// Activities, from their registration on.
    public let activities: StoredActivities
    /// Starts, updates and ends, with their counts.
    public let broadcasts: StoredBroadcasts
    /// The reports of gateways about the providers.
    public let health: StoredHealth
    /// Devices by the page, as broadcasts are carried out.
    public let pages: StoredPages
    /// The jobs that gateways hold from the beginning.
    public let heldJobs: StoredHeldJobs
    /// The reads of activities by customers.
    public let reader: ActivityReader
    /// The parts of broadcasts and the gateways' leases on them.
    public let jobs: StoredJobs
    /// Broadcasts scheduled for a time.
    public let schedules: StoredSchedules
    /// The due queues.
    public let due: StoredDueItems
    /// Starts of devices without a Live Activity.
    public let restarts: StoredRestarts
    /// Reports of devices.
    public let reports: StoredReports
    /// Topics.
    public let topics: StoredTopics
    /// Followers of topics.
    public let followers: StoredFollowers
    /// The activities of topics.
    public let topicActivities: StoredTopicActivities
    /// The pending erasures of users and devices.
    public let erasures: StoredErasures
    /// Feeds of topics: the polling gateway, and the last content.
    public let feeds: StoredFeeds

    /// The age at which a report is dropped. It is shorter than the memory of an erasure, so no report brings an erased
    /// user back. It is longer than a report and the wait for its permit usually take.
    public static let reportLife = TimeInterval.seconds(10)

    /// True if pushes may be sent. A wrong clock would send stale content, and an unsupported layout cannot be read.
    /// From any thread.
    public var maySend: Bool { clockState() != .skewed && hasReadableLayout }
    /// True if pushes may be sent and the time is certain. From any thread.
    public var mayCarryOutWhatIsDue: Bool { clockState() == .trusted && hasReadableLayout }

    private var hasReadableLayout: Bool { !context.hasUnsupportedLayout.load(ordering: .relaxed) }

    /// Sets the sealer of content. Content sealed with the former one still opens. From any thread.
    public func seal(with sealer: ContentSealer) {
        context.sealerNow.withLock { present in
            var sealer = sealer
            if let present { sealer.open(whatIsSealedBy: present) }
            present = sealer
        }
    }

    let appendOnlyFile: AppendOnlyFile
    let commits: GroupCommit

    /// - Parameters:
    ///   - wallClock: The present time. The rate limit uses Redis's clock by default.
    ///   - sealer: Pass nil to keep content unsealed.
    ///   - identity: Pass nil if identity secrets are neither made nor used.
    ///   - clockBounds: The bounds of Redis's time. Pass nil if `wallClock` is exact.
    public init(
        redis: RedisClient, wallClock: @escaping @Sendable () -> WallTime = WallTime.now,
        rules: StoreRules = StoreRules(), sealer: ContentSealer? = nil, identity: IdentitySecrets? = nil,
        clockBounds: (@Sendable () -> ClockBounds)? = nil,
        clockState: @escaping @Sendable () -> StoreClock.State = { .trusted }
    ) {
        self.redis = redis
        self.wallClock = wallClock
        let clockBounds = clockBounds ?? { ClockBounds(wallClock()) }
        self.clockBounds = clockBounds
        self.clockState = clockState
        let file = AppendOnlyFile(of: redis)
        appendOnlyFile = file
        commits = GroupCommit { await file.wait() }
        context = StoreContext(
            redis: redis, wallClock: wallClock, clockBounds: clockBounds, rules: rules, sealer: sealer,
            identity: identity, commits: commits)
        layout = StoredLayout(context)
        tenants = StoredTenants(context)
        operators = StoredOperators(context)
        sessions = StoredSessions(context, operators: operators)
        rates = RequestRates(context, quotaRefusals)
        usage = TenantUsage(context)
        opened = OpenedActivities(context, usage, quotaRefusals)
        answers = StoredAnswers(context)
        feeds = StoredFeeds(context)
        segments = StoredSegments(context)
        reserved = ReservedSchedules(context, usage, quotaRefusals)
        schedules = StoredSchedules(context, reserved: reserved)
        due = StoredDueItems(context)
        health = StoredHealth(context)
        roster = StoredRoster(context)
        let queues = TopicQueues(context)
        let erasureQueue = ErasureQueue(context, usage: usage)
        devices = StoredDevices(
            context, roster: roster, topics: queues, usage: usage, refusals: quotaRefusals, erasures: erasureQueue)
        quarantine = TokenQuarantine(context, roster: roster, devices: devices)
        events = StoredEvents(context, devices: devices)
        webhooks = StoredWebhooks(context, events: events)
        usage.onCrossing { [weak events] crossings, tenantID in
            guard let events else { return }
            Task { try? await events.publish(crossings, tenantID: tenantID) }
        }
        activities = StoredActivities(
            context, roster: roster, devices: devices, segments: segments, opened: opened)
        topics = StoredTopics(context, segments: segments)
        followers = StoredFollowers(
            context, roster: roster, segments: segments, usage: usage, refusals: quotaRefusals)
        erasures = StoredErasures(
            context, queue: erasureQueue, roster: roster, schedules: schedules, segments: segments,
            followers: followers, activities: activities)
        topicActivities = StoredTopicActivities(
            context, queues: queues, followers: followers, roster: roster, devices: devices, activities: activities)
        broadcasts = StoredBroadcasts(context, activities: activities, events: events)
        pages = StoredPages(context, roster: roster, devices: devices)
        heldJobs = StoredHeldJobs(context, pages: pages)
        reader = ActivityReader(context, activities: activities, devices: devices, broadcasts: broadcasts)
        jobs = StoredJobs(context, activities: activities, broadcasts: broadcasts, events: events, pages: pages)
        restarts = StoredRestarts(
            context, roster: roster, devices: devices, activities: activities, broadcasts: broadcasts, reader: reader)
        reports = StoredReports(
            context, roster: roster, devices: devices, activities: activities, events: events, jobs: jobs,
            reader: reader)
    }

    /// Closes the resources that the store has opened. Must be called before the reactor of `redis` ends. The owner
    /// closes `redis`.
    public func shutdown() async {
        await flushNews()
        await usage.flush()
        await appendOnlyFile.shutdown()
    }

    /// The shards with new jobs or due items.
    public var jobNews: NewsBoard { context.jobNews }
    /// The tenants with new events to deliver.
    public var webhookNews: NewsBoard { context.webhookNews }

    /// Returns when the news for other gateways is written, or has failed.
    public func flushNews() async {
        await jobNews.flush()
        await webhookNews.flush()
    }

    /// The starts that waited for Redis's append-only file. From any thread.
    public var commitCounts: CommitCounts { commits.counts }

    /// The scripts that the client should load whenever it connects.
    public static var scripts: [RedisScript] { Scripts.all }

    /// Returns once Redis answers.
    public func ping() async throws(StoreError) {
        _ = try await value(RedisCommand("PING"))
    }
}
