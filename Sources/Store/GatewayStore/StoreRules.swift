public import LiveActivity
public import TimeCore

/// The rules of a store that a configuration may change.
public struct StoreRules: Sendable {
    /// The longest life of a started activity; nil if only `ends_at` limits it.
    public var lifetime: TimeInterval? = Lifecycle.platformLifetime
    /// The least time between two updates of an activity to its whole segment, once two have left in a row; zero for
    /// none.
    public var minimumInterval = TimeInterval.zero
    /// The number of updates an hour with priority 10 that an activity's whole segment gets if they name no priority; 0
    /// for any number.
    public var updateBudget = 30
    /// The number of possible Live Activities at which a start skips a device; 0 for none.
    public var maximumPerDevice = 0
    /// The limits of stored events and webhooks.
    public var events = EventLimits()
    /// The age up to which a report may make a user or a device, if the clock is Redis's own; nil for any age.
    public var reportLife: TimeInterval?
    /// Returns a random id for an activity. The ids of its broadcasts lead to it.
    public var drawActivityID: @Sendable () -> UniqueID = UniqueID.randomActivity

    public init() {}

    /// The rules with another least time between updates.
    public init(minimumInterval: TimeInterval) {
        self.minimumInterval = minimumInterval
    }
}
