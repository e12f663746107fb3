public import LiveActivity
import Reactor
public import RedisClient
public import TimeCore

/// Everything that is kept, in Redis, by features. Gateways have no state of their own, so any number of them may share
/// one store.
///
/// Async methods may be called from any thread; those that take a completion belong to the reactor of `redis`.
public final class GatewayStore: StoreFeature {
    let context: StoreContext
    /// Where all is kept. Its owner shuts it down, after `shutdown`.
    public let redis: RedisClient
    /// What is taken for now.
    public let wallClock: @Sendable () -> WallTime
    /// The bounds of Redis's time. The latest one is the arrival of a request that is read now.
    public let clockBounds: @Sendable () -> ClockBounds
    /// How far `wallClock` may be trusted.
    public let clockState: @Sendable () -> StoreClock.State
    /// How long a started activity may run before it is ended; nil for as long as its `ends_at` lets it.
    public let lifetime: TimeInterval?

    /// How what is kept is written.
    public let layout: StoredLayout
    /// Customers, and the keys that open their calls.
    public let tenants: StoredTenants
    /// Those who may look after all tenants.
    public let operators: StoredOperators
    /// Who has signed in at the console.
    public let sessions: StoredSessions
    /// How many SDK requests are made in a minute.
    public let rates: RequestRates
    /// How many users and devices tenants have.
    public let usage: TenantUsage
    /// The activities opened by devices that are alive.
    public let opened: OpenedActivities
    /// The schedules of users' apps that count against quotas.
    let reserved: ReservedSchedules
    /// How often limits of tenants were reached.
    public let quotaRefusals = QuotaRefusals()
    /// Answers kept for repeated requests.
    public let answers: StoredAnswers
    /// Segments kept by name.
    public let segments: StoredSegments
    /// Who is in an activity, and with which token.
    public let roster: StoredRoster
    /// Devices by their users, with their push-to-start tokens.
    public let devices: StoredDevices
    /// Tokens that are not pushed to for a while.
    public let quarantine: TokenQuarantine
    /// What tenants are told of.
    public let events: StoredEvents
    /// Where they are told, and what waits for that.
    public let webhooks: StoredWebhooks
    /// Activities, from their registration on.
    public let activities: StoredActivities
    /// Starts, updates and ends, with their counts.
    public let broadcasts: StoredBroadcasts
    /// What gateways tell each other of the providers.
    public let health: StoredHealth
    /// Devices by the page, as broadcasts are carried out.
    public let pages: StoredPages
    /// Updates to few devices that are sent at once.
    public let direct: StoredDirect
    /// What customers read of activities.
    public let reader: ActivityReader
    /// The parts of broadcasts, and who works on them.
    public let jobs: StoredJobs
    /// Broadcasts that are to be sent at a time.
    public let schedules: StoredSchedules
    /// What waits for its time.
    public let due: StoredDueItems
    /// Starts of those who have no Live Activity.
    public let restarts: StoredRestarts
    /// What devices report.
    public let reports: StoredReports
    /// What goes live.
    public let topics: StoredTopics
    /// Who follows it.
    public let followers: StoredFollowers
    /// The activities that come of both.
    public let topicActivities: StoredTopicActivities
    /// Users and devices that are to be forgotten.
    public let erasures: StoredErasures
    /// Who polls for what is said of topics, and what was said last.
    public let feeds: StoredFeeds

    /// What was reported before this is passed over when it comes: shorter than an erasure is remembered, so that
    /// whoever is not remembered any more is not brought back. Longer than a report takes, and its permit is waited
    /// for, while all is well.
    public static let reportLife = TimeInterval.seconds(10)

    /// Whether pushes may be sent: not by a clock that goes wrong, as content would be taken for stale or for fresh,
    /// and not when all is written as this version does not know. From any thread.
    public var maySend: Bool { clockState() != .skewed && !context.layout.isUnknown }
    /// The same, and it is certain what time it is. From any thread.
    public var mayCarryOutWhatIsDue: Bool { clockState() == .trusted && !context.layout.isUnknown }

    /// Seals content with this from now on. What was sealed with the one before opens still. From any thread.
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
    ///   - wallClock: what the store takes for now; the rate limit goes by Redis's clock unless told otherwise.
    ///   - layout: what is written until the store was asked by `layout.settle()`.
    ///   - drawActivityID: a random id for an activity, to which those of its broadcasts lead.
    ///   - lifetime: see the property.
    ///   - minimumInterval: the least time between two updates of an activity to its whole segment, once two have left
    ///     in a row; zero for none.
    ///   - updateBudget: how many updates an hour an activity's whole segment gets with priority 10 that name none; 0
    ///     for any number.
    ///   - maximumPerDevice: a start passes over a device that may have so many Live Activities already; 0 for none.
    ///   - sealer: nil to keep content in clear.
    ///   - identity: nil where identity secrets are neither made nor used.
    ///   - reportLife: for how long after it was taken a report makes a user or a device, where `wallClock` is Redis's
    ///     own clock; nil for any time.
    ///   - clockBounds: The bounds of Redis's time. Pass nil if `wallClock` is exact.
    public init(
        redis: RedisClient, wallClock: @escaping @Sendable () -> WallTime = WallTime.now,
        layout: StoreLayout = .keyed, drawActivityID: @escaping @Sendable () -> UniqueID = UniqueID.randomActivity,
        lifetime: TimeInterval? = Lifecycle.platformLifetime, minimumInterval: TimeInterval = .zero,
        updateBudget: Int = 30,
        maximumPerDevice: Int = 0,
        events limits: EventLimits = EventLimits(), sealer: ContentSealer? = nil,
        identity: IdentitySecrets? = nil,
        reportLife: TimeInterval? = nil,
        clockBounds: (@Sendable () -> ClockBounds)? = nil,
        clockState: @escaping @Sendable () -> StoreClock.State = { .trusted }
    ) {
        self.redis = redis
        self.wallClock = wallClock
        let clockBounds = clockBounds ?? { ClockBounds(wallClock()) }
        self.clockBounds = clockBounds
        self.clockState = clockState
        self.lifetime = lifetime
        let file = AppendOnlyFile(of: redis)
        appendOnlyFile = file
        commits = GroupCommit { await file.wait() }
        context = StoreContext(
            redis: redis, wallClock: wallClock, clockBounds: clockBounds, layout: layout,
            drawActivityID: drawActivityID, lifetime: lifetime, minimumInterval: minimumInterval,
            updateBudget: updateBudget, maximumPerDevice: maximumPerDevice,
            sealer: sealer, identity: identity,
            eventLimits: limits, reportLife: reportLife, commits: commits)
        self.layout = StoredLayout(context)
        let windows = RateWindows()
        tenants = StoredTenants(context, windows: windows)
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
        broadcasts = StoredBroadcasts(context, activities: activities)
        pages = StoredPages(context, roster: roster, devices: devices)
        direct = StoredDirect(context, pages: pages, events: events, windows: windows)
        reader = ActivityReader(context, activities: activities, devices: devices, broadcasts: broadcasts)
        jobs = StoredJobs(context, activities: activities, broadcasts: broadcasts, events: events, pages: pages)
        restarts = StoredRestarts(
            context, roster: roster, devices: devices, activities: activities, broadcasts: broadcasts, reader: reader)
        reports = StoredReports(
            context, roster: roster, devices: devices, activities: activities, events: events, jobs: jobs,
            direct: direct, reader: reader)
    }

    /// Closes what the store has opened by itself; `redis` is its owner's to close. To be called before its reactor
    /// ends.
    public func shutdown() async {
        await flushNews()
        await usage.flush()
        await appendOnlyFile.shutdown()
    }

    /// In which shards there is something new.
    public var jobNews: NewsBoard { context.jobNews }
    /// For whom there are new events to deliver.
    public var webhookNews: NewsBoard { context.webhookNews }

    /// Returns when other gateways are told of what is new, or cannot be.
    public func flushNews() async {
        await jobNews.flush()
        await webhookNews.flush()
    }

    /// How many starts were held back until Redis's append-only file had them. From any thread.
    public var commitCounts: CommitCounts { commits.counts }

    /// The scripts that the client should load whenever it connects.
    public static var scripts: [RedisScript] { Scripts.all }

    /// Answers when the store does.
    public func ping() async throws(StoreError) {
        _ = try await value(RedisCommand("PING"))
    }
}
