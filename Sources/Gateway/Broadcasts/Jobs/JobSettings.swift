public import BroadcastCore
public import GatewayStore
public import TimeCore

/// The settings of a gateway's work on jobs.
public struct JobSettings: Sendable {
    /// The number of jobs that it takes, by `JobLane`.
    public var limits = JobLeases<JobTicket>.Limits(perLane: [256, 2, 2])
    /// The period in which a gateway polls for jobs that others have recorded or left.
    public var period = TimeInterval.milliseconds(100)
    /// The rhythm in which shards without known jobs are watched.
    public var watch = ShardWatch.Rhythm()
    /// The rule for devices of which no gateway knows whether a start was sent to them.
    public var onUnknown = UnknownRule.skip
    /// The settings of topics.
    public var topics = TopicSettings()
    /// The number of unfinished broadcasts, on all gateways, at which no due item is begun.
    public var maximumBroadcasts = 1000
    /// The time for which a host may refuse a credential that another one takes, until broadcasts stop for it.
    public var refusalPatience = TimeInterval.seconds(10)
    /// The period in which a healing activity is searched for devices that have lost their Live Activity.
    public var healingPeriod = TimeInterval.seconds(30)
    /// The lowest tier whose schedules are carried out.
    public var requiredTier = Tenant.Tier.starter

    public init() {}

    /// True if a tenant's tier has live activities.
    /// - Parameter tenant: Pass nil for a tenant that is not in the store any more.
    func admits(_ tenant: Tenant?) -> Bool { tenant.map { $0.tier >= requiredTier } ?? true }
}
