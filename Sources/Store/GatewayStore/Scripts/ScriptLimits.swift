import LiveActivity
import TimeCore

/// Bounds that the scripts keep: `ScriptLimits.lateEnd` is `LIMIT.late_end` in Lua.
enum ScriptLimits {
    /// The most fields of a user's hash. The hash is read whole, and each copy of the app can write to it.
    static let fieldsOfUser = 512
    /// The most tokens of a user. A new one then replaces another.
    static let tokensOfUser = 256
    /// The most names of a user's Live Activities. A new one then replaces another.
    static let namesOfUser = 64
    /// The most unknown devices of a user whose erasure is remembered.
    static let erasedOfUser = 256
    /// The most ended broadcasts that are kept in their activity's hash, which an update reads whole.
    static let endedInActivity = 16
    /// The most bytes of an ended broadcast in that hash: the default of `hash-max-listpack-value`.
    static let endedValue = 64
    /// The number of entries from which a part of an index of activities has a next part. It is below the default of
    /// `zset-max-listpack-entries`.
    static let listedInPart = 100
    /// The most ended schedules that are kept for an activity.
    static let endedSchedules = 100
    /// The number of earlier tokens of a slot that are known. Their digests fill a field that leaves its hash packed.
    static let formerTokens = 8
    /// The time for which an end's content is kept after it has reached all of an activity's devices, in milliseconds.
    static let contentOfEnd = 3_600_000
    /// The least time, in milliseconds, between two repeated ends to a device that still shows its Live Activity.
    static let endAgain = 60_000
    /// The number of new tokens of an iPhone that get the end again without a pause.
    static let endsInRow = 4
    /// The time after which a late end of a lost gateway no longer delays another to the same device, in milliseconds.
    static let lateEnd = 15_000
    /// Milliseconds ahead from which a time must have been written before the clock was set back.
    static let clockStep = 2000
    /// The longest time, in milliseconds, that an update waits, even if the clock is set meanwhile.
    static let longestWait = 60_000
    /// The most devices of a target list that are noted one by one.
    static let shortList = 512
    /// The most older lists of each class with which a long list is compared, to find those that it supersedes.
    static let coverableLists = 64
    /// The most due items of a shard that are taken by their times. More are taken by tenant in turn.
    static let dueUnsorted = 64
    /// The number of due items that one poll sorts by tenant.
    static let dueSorted = 256
    /// The life, in milliseconds, of sorted items that no gateway polls.
    static let dueTurnsKept = 60_000
    /// The least difference, in milliseconds, by which an update counts as received after another one.
    static let clockDifference = 100
    /// The period in milliseconds for which the arrival of updates to target lists is noted.
    static let arrivalsKept = 60_000
    /// The most stored segments of one tenant.
    static let segments = 10_000

    // Bounds of the rest of the store, too.
    static let formerOwners = TokenIndex.maximumFormers
    static let keptAfterEnd = Activity.keptAfterEnd.millisecondsRoundedUp
    static let keptRestarts = RestartMark.keptRestarts
    static let restartsKeptFor = RestartMark.keptFor
    static let outcomeKinds = OutcomePage.maximumKinds
    static let recentBroadcasts = ActivityStatus.recentBroadcasts
    static let shortPage = PageKey.longestField
    static let smallBroadcast = JobLane.smallBroadcast
    static let syncTimes = TimeToSync.bounds
}
