import RedisClient

/// Reports of devices about their Live Activities: update tokens, dismissals, taps.
public final class StoredReports: StoreFeature {
    let context: StoreContext
    let roster: StoredRoster
    let devices: StoredDevices
    let activities: StoredActivities
    let events: StoredEvents
    let jobs: StoredJobs
    let reader: ActivityReader
    let knownActivities: KnownActivities
    let typeSearch: TypeSearch
    let otherLogins: OtherLogins
    let moves: EnvironmentMoves
    let gathered = GatheredReports()

    init(
        _ context: StoreContext, roster: StoredRoster, devices: StoredDevices, activities: StoredActivities,
        events: StoredEvents, jobs: StoredJobs, reader: ActivityReader
    ) {
        self.context = context
        self.roster = roster
        self.devices = devices
        self.activities = activities
        self.events = events
        self.jobs = jobs
        self.reader = reader
        typeSearch = TypeSearch(context, roster: roster, devices: devices)
        otherLogins = OtherLogins(context, devices: devices, typeSearch: typeSearch)
        moves = EnvironmentMoves(context, roster: roster)
        knownActivities = KnownActivities(on: context.redis.reactor)
    }
}

/// The questions and writes of the reports of one turn, which share commands.
struct GatheredReports {
    let endReads = EndReads()
    let reachedMarks = ReachedMarks()
    let syncedDevices = SyncedDevices()
}
