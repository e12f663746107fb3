import Delivery
import GatewayStore
import LiveActivity

/// What the endpoints of customers ask of the store, feature by feature.
struct CustomerStore: Sendable {
    let activities: any ActivityStore
    let reader: any ActivityReading
    let broadcasts: any BroadcastReading
    let schedules: any ScheduleStore
}

extension CustomerStore {
    init(_ store: GatewayStore) {
        activities = store.activities
        reader = store.reader
        broadcasts = store.broadcasts
        schedules = store.schedules
    }
}

/// Keeps activities and their segments.
protocol ActivityStore: Sendable {
    /// Whoever's it is; nil when there is none.
    func activity(_ id: UniqueID) async throws(StoreError) -> ActivityRecord?

    /// The id of the activity that devices call so; nil when there is none.
    func deviceInitiatedActivity(_ name: ExternalName, tenantID: String) async throws(StoreError) -> UniqueID?

    /// - Parameter insiderIDs: each at most once.
    func register(
        _ registration: StoredActivities.Registration, insiderIDs: [String], tenantID: String
    ) async throws(StoreError) -> RegistrationReport

    /// - Parameter checkpoint: what it throws ends the work.
    func register(
        _ registration: StoredActivities.Registration, segment name: String, tenantID: String,
        checkpoint: () throws -> Void
    ) async throws -> StoredActivities.SegmentRegistration

    /// - Parameters:
    ///   - insiderIDs: each at most once.
    ///   - served: see `StoredActivities.Registration.served`.
    func addUsers(
        _ insiderIDs: [String], to id: UniqueID, served: Set<RouteKind>?
    ) async throws(StoreError) -> StoredActivities.SegmentChange<RegistrationReport>

    func removeUsers(
        _ insiderIDs: [String], from id: UniqueID
    ) async throws(StoreError) -> StoredActivities.SegmentChange<StoredActivities.Removal>
}

extension StoredActivities: ActivityStore {}

/// Tells how activities and their devices are.
protocol ActivityReading: Sendable {
    /// Nil when there is none, or it has been dead for a day.
    func status(of id: UniqueID) async throws(StoreError) -> ActivityStatus?

    /// The newest first.
    func recentBroadcasts(of status: ActivityStatus) async throws(StoreError) -> [BroadcastRecord]

    func stateCounts(in record: ActivityRecord) async throws(StoreError) -> [Cohort: DeviceStateCounts]

    /// The number of Live Activities that devices have reported as dismissed.
    func dismissals(in record: ActivityRecord) async throws(StoreError) -> Int
    func timeToSync(in record: ActivityRecord) async throws(StoreError) -> [Cohort: TimeToSync]

    /// - Parameters: nil for all; `cursor` for the beginning.
    func activities(
        of tenantID: String, _ filter: ActivityFilter, limit: Int, from cursor: ActivityCursor?
    ) async throws(StoreError) -> ActivityListing

    /// The one that devices opened by themselves and call so, or none.
    func activities(
        of tenantID: String, called name: ExternalName, in state: Activity.State?
    ) async throws(StoreError) -> ActivityListing

    /// - Parameters: nil for all; `cursor` for the beginning.
    func devices(
        of record: ActivityRecord, in state: DeviceState?, limit: Int, from cursor: DeviceCursor?
    ) async throws(StoreError) -> DeviceListing
}

extension ActivityReader: ActivityReading {}

/// Tells how broadcasts are.
protocol BroadcastReading: Sendable {
    /// Nil when there is none, or none of this tenant; of nil it may be anybody's.
    func broadcast(_ id: UniqueID, of tenantID: String?) async throws(StoreError) -> BroadcastRecord?

    /// Whoever's it is.
    func broadcast(_ id: UniqueID, in activityID: UniqueID) async throws(StoreError) -> BroadcastRecord?
}

extension StoredBroadcasts: BroadcastReading {}

/// Keeps broadcasts that are to be sent at a time.
protocol ScheduleStore: Sendable {
    /// - Parameter limits: the tenant's, which schedules of users' apps count against.
    func add(
        _ schedule: Schedule, to activity: Activity, _ limits: TenantLimits
    ) async throws(StoreError) -> StoredSchedules.ScheduleAddition

    func schedule(_ id: UniqueID, in activity: UniqueID) async throws(StoreError) -> Schedule?

    /// - Parameter pending: those that wait, by when they are due; else those that have ended, the newest first.
    func schedules(of activity: UniqueID, pending: Bool) async throws(StoreError) -> [Schedule]

    /// A user's that wait, by when they are due.
    func schedules(of activity: UniqueID, owner: String) async throws(StoreError) -> [Schedule]

    /// How many of users' wait.
    func countOfUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int

    /// Drops all of users', and tells how many that were.
    func cancelUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int

    /// False when it waits no longer.
    func cancel(_ schedule: Schedule) async throws(StoreError) -> Bool

    /// False when it has changed meanwhile.
    func narrow(_ schedule: Schedule, to targets: [DeviceKey]) async throws(StoreError) -> Bool
}

extension StoredSchedules: ScheduleStore {}
