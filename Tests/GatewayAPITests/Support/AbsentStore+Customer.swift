import Broadcasts
import Delivery
import GatewayStore
import LiveActivity
import TimeCore

@testable import GatewayAPI

extension CustomerStore {
    /// All of it is away.
    static var absent: CustomerStore {
        let store = AbsentStore()
        return CustomerStore(activities: store, reader: store, broadcasts: store, schedules: store)
    }
}

extension AbsentStore: ActivityStore {
    func activity(_ id: UniqueID) async throws(StoreError) -> ActivityRecord? { throw Self.away }

    func deviceInitiatedActivity(_ name: ExternalName, tenantID: String) async throws(StoreError) -> UniqueID? {
        throw Self.away
    }

    func register(
        _ registration: StoredActivities.Registration, insiderIDs: [String], tenantID: String
    ) async throws(StoreError) -> RegistrationReport { throw Self.away }

    func register(
        _ registration: StoredActivities.Registration, segment name: String, tenantID: String,
        checkpoint: () throws -> Void
    ) async throws -> StoredActivities.SegmentRegistration { throw Self.away }

    func addUsers(
        _ insiderIDs: [String], to id: UniqueID, served: Set<RouteKind>?
    ) async throws(StoreError) -> StoredActivities.SegmentChange<RegistrationReport> { throw Self.away }

    func removeUsers(
        _ insiderIDs: [String], from id: UniqueID
    ) async throws(StoreError) -> StoredActivities.SegmentChange<StoredActivities.Removal> { throw Self.away }
}

extension AbsentStore: ActivityReading {
    func status(of id: UniqueID) async throws(StoreError) -> ActivityStatus? { throw Self.away }

    func recentBroadcasts(of status: ActivityStatus) async throws(StoreError) -> [BroadcastRecord] { throw Self.away }

    func dismissals(in record: ActivityRecord) async throws(StoreError) -> Int { throw Self.away }
    func timeToSync(in record: ActivityRecord) async throws(StoreError) -> [Cohort: TimeToSync] { throw Self.away }

    func stateCounts(in record: ActivityRecord) async throws(StoreError) -> [Cohort: DeviceStateCounts] {
        throw Self.away
    }

    func activities(
        of tenantID: String, _ filter: ActivityFilter, limit: Int, from cursor: ActivityCursor?
    ) async throws(StoreError) -> ActivityListing { throw Self.away }

    func activities(
        of tenantID: String, called name: ExternalName, in state: Activity.State?
    ) async throws(StoreError) -> ActivityListing { throw Self.away }

    func devices(
        of record: ActivityRecord, in state: DeviceState?, limit: Int, from cursor: DeviceCursor?
    ) async throws(StoreError) -> DeviceListing { throw Self.away }
}

extension AbsentStore: BroadcastReading {
    func broadcast(_ id: UniqueID, of tenantID: String?) async throws(StoreError) -> BroadcastRecord? {
        throw Self.away
    }

    func broadcast(_ id: UniqueID, in activityID: UniqueID) async throws(StoreError) -> BroadcastRecord? {
        throw Self.away
    }
}

extension AbsentStore: ScheduleStore {
    func add(
        _ schedule: Schedule, to activity: Activity, _ limits: TenantLimits
    ) async throws(StoreError) -> StoredSchedules.ScheduleAddition { throw Self.away }

    func schedule(_ id: UniqueID, in activity: UniqueID) async throws(StoreError) -> Schedule? { throw Self.away }

    func schedules(of activity: UniqueID, pending: Bool) async throws(StoreError) -> [Schedule] { throw Self.away }

    func schedules(of activity: UniqueID, owner: String) async throws(StoreError) -> [Schedule] { throw Self.away }

    func countOfUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int { throw Self.away }

    func cancelUsersSchedules(of activity: UniqueID) async throws(StoreError) -> Int { throw Self.away }

    func cancel(_ schedule: Schedule) async throws(StoreError) -> Bool { throw Self.away }

    func narrow(_ schedule: Schedule, to targets: [DeviceKey]) async throws(StoreError) -> Bool { throw Self.away }
}

extension AbsentStore: BroadcastCarrier {
    func carryOut(_ request: BroadcastRequest) async throws -> BroadcastResult { throw Self.away }

    func check(
        _ payload: Payload, _ event: PushEvent, for record: ActivityRecord, isToAll: Bool
    ) throws(BroadcastRefusal) {}

    func routeKinds(of tenantID: String) -> Set<RouteKind> { [] }

    func offersChannels(to tenantID: String) -> Bool { false }

    func wait(for id: UniqueID, in activity: UniqueID, timeout: TimeInterval) async -> BroadcastRecord? { nil }
}
