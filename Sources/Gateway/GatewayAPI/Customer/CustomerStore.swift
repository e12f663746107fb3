import Delivery
import GatewayStore
import LiveActivity

/// The parts of the store that the customers' endpoints use.
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

/// Stores activities and their segments.
protocol ActivityStore: Sendable {
    /// Returns an activity of any tenant; nil if it does not exist.
    func activity(_ id: UniqueID) async throws(StoreError) -> ActivityRecord?

    /// Returns the id of the activity that devices gave this name; nil if it does not exist.
    func deviceInitiatedActivity(_ name: ExternalName, tenantID: String) async throws(StoreError) -> UniqueID?

    /// - Parameter insiderIDs: Ids without duplicates.
    func register(
        _ registration: StoredActivities.Registration, insiderIDs: [String], tenantID: String
    ) async throws(StoreError) -> RegistrationReport

    /// - Parameter checkpoint: Its error ends the work.
    func register(
        _ registration: StoredActivities.Registration, segment name: String, tenantID: String,
        checkpoint: () throws -> Void
    ) async throws -> StoredActivities.SegmentRegistration

    /// - Parameters:
    ///   - insiderIDs: Ids without duplicates.
    ///   - served: See `StoredActivities.Registration.served`.
    func addUsers(
        _ insiderIDs: [String], to id: UniqueID, served: Set<RouteKind>?
    ) async throws(StoreError) -> StoredActivities.SegmentChange<RegistrationReport>

    func removeUsers(
        _ insiderIDs: [String], from id: UniqueID
    ) async throws(StoreError) -> StoredActivities.SegmentChange<StoredActivities.Removal>
}

extension StoredActivities: ActivityStore {}

/// Reads the states of activities and their devices.
protocol ActivityReading: Sendable {
    /// Nil if it does not exist, or ended a day ago or earlier.
    func status(of id: UniqueID) async throws(StoreError) -> ActivityStatus?

    /// Returns the newest broadcast first.
    func recentBroadcasts(of status: ActivityStatus) async throws(StoreError) -> [BroadcastRecord]

    func stateCounts(in record: ActivityRecord) async throws(StoreError) -> [Cohort: DeviceStateCounts]

    /// The number of Live Activities that devices have reported as dismissed.
    func dismissals(in record: ActivityRecord) async throws(StoreError) -> Int
    func timeToSync(in record: ActivityRecord) async throws(StoreError) -> [Cohort: TimeToSync]

    /// - Parameters: Pass a nil filter for all, and a nil cursor for the beginning.
    func activities(
        of tenantID: String, _ filter: ActivityFilter, limit: Int, from cursor: ActivityCursor?
    ) async throws(StoreError) -> ActivityListing

    /// Returns the activity that devices opened by themselves under this name, if there is one.
    func activities(
        of tenantID: String, called name: ExternalName, in state: Activity.State?
    ) async throws(StoreError) -> ActivityListing

    /// - Parameters: Pass a nil state for all, and a nil cursor for the beginning.
    func devices(
        of record: ActivityRecord, in state: DeviceState?, limit: Int, from cursor: DeviceCursor?
    ) async throws(StoreError) -> DeviceListing
}

extension ActivityReader: ActivityReading {}

/// Reads the states of broadcasts.
protocol BroadcastReading: Sendable {
    /// Nil if it does not exist.
    /// - Parameter tenantID: Pass nil to read a broadcast of any tenant.
    func broadcast(_ id: UniqueID, of tenantID: String?) async throws(StoreError) -> BroadcastRecord?

    func broadcast(_ id: UniqueID, in activityID: UniqueID) async throws(StoreError) -> BroadcastRecord?
}

extension StoredBroadcasts: BroadcastReading {}

/// Stores scheduled broadcasts.
protocol ScheduleStore: Sendable {
    /// - Parameter limits: The tenant's limits, which apply to schedules of users' apps.
    func add(
        _ schedule: Schedule, to activity: Activity, _ limits: TenantLimits
    ) async throws(StoreError) -> StoredSchedules.ScheduleAddition

    func schedule(_ id: UniqueID, in activity: UniqueID) async throws(StoreError) -> Schedule?

    /// - Parameter pending: True for pending schedules, by due time; false for ended ones, the newest first.
    func schedules(of activity: UniqueID, pending: Bool) async throws(StoreError) -> [Schedule]

    /// A user's pending schedules, by due time.
    func schedules(of activity: UniqueID, owner: String) async throws(StoreError) -> [Schedule]

    /// The number of pending schedules of users.
    func countOfUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int

    /// Cancels all schedules of users, and returns their number.
    func cancelUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int

    /// False if it is no longer pending.
    func cancel(_ schedule: Schedule) async throws(StoreError) -> Bool

    /// False if it has changed in the meantime.
    func narrow(_ schedule: Schedule, to targets: [DeviceKey]) async throws(StoreError) -> Bool
}

extension StoredSchedules: ScheduleStore {}
