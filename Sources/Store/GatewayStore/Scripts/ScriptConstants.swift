import Delivery
import LiveActivity
import RosterCore
import TimeCore

/// The names that the scripts know, like `STATUS.registered`. The values are those of the types with which the rest of
/// the store reads and writes them.
enum ScriptConstants {
    /// The values of the names in Lua.
    static let values: [String: String] = {
        var values: [String: String] = [:]
        for (name, status) in statuses {
            values["STATUS.\(name)"] = "\(status)"
            values["STATUS_BYTE.\(name)"] = byte(status)
        }
        for (name, mark) in marks {
            values["MARK.\(name)"] = "\(mark)"
            values["MARK_BYTE.\(name)"] = byte(mark)
        }
        for (name, value) in others { values[name] = value }
        return values
    }()

    private static let statuses: [(String, UInt8)] = [
        ("absent", DeliveryStatus.absent), ("registered", DeliveryStatus.registered),
        ("removed", DeliveryStatus.removed),
        ("start_accepted", DeliveryStatus.startAccepted), ("start_failed", DeliveryStatus.startFailed),
        ("start_unknown", DeliveryStatus.startUnknown), ("start_unsent", DeliveryStatus.startUnsent),
        // The least of the statuses that give the reason of an end.
        ("ended", DeliveryStatus.firstEnd), ("dismissed", DeliveryStatus.ended(.userDismissed)),
        ("unfollowed", DeliveryStatus.ended(.userUnfollow)),
    ]

    private static let marks: [(String, UInt8)] = [
        // Nothing is known.
        ("none", 0), ("dead_token", TokenPage.deadTokenMark), ("live_activity_shown", TokenPage.liveActivityShownMark),
        ("healing", TokenPage.healingMark), ("quarantined_token", TokenPage.quarantinedTokenMark),
        ("push_opt_out", SkipReason.pushOptOut.rawValue), ("gdpr_denied", SkipReason.gdprDenied.rawValue),
    ]

    private static let others: [String: String] = [
        // Sets of delivery statuses, as Lua's patterns spell them.
        "STATUSES.not_registered": "'[^\(escape(DeliveryStatus.registered))]'",
        "STATUSES.not_live":
            "'[^\(escape(DeliveryStatus.registered))\(escape(DeliveryStatus.startAccepted))-\(escape(DeliveryStatus.startUnsent))]'",
        "STATUSES.left_out": "'[\(escape(DeliveryStatus.startFailed))\(escape(DeliveryStatus.startUnsent))]'",
        // Once an activity is over, a Live Activity that has not ended may report a token. The token of a dismissed one
        // identifies it.
        "STATUSES.needs_tokens":
            "'[\(escape(DeliveryStatus.registered))\(escape(DeliveryStatus.startAccepted))-\(escape(DeliveryStatus.startUnsent))\(escape(DeliveryStatus.ended(.userDismissed)))]'",
        "STATUSES.not_ended": "'[%z\(escape(1))-\(escape(DeliveryStatus.firstEnd - 1))]'",

        "ACTIVITY.registered": text(Activity.State.registered), "ACTIVITY.started": text(Activity.State.started),
        "ACTIVITY.dead": text(Activity.State.dead),

        "BROADCAST.queued": "'\(BroadcastState.queued.rawValue)'",
        "BROADCAST.running": "'\(BroadcastState.running.rawValue)'",
        "SCHEDULE.done": "'\(Schedule.State.done.rawValue)'",

        "DOUBT.nothing": "'\(PageDoubt.nothing.rawValue)'",
        "PAGE.open": byte(PageProgress.open.rawValue), "PAGE.done": byte(PageProgress.done.rawValue),
        "PAGE.open_again": byte(PageProgress.openAgain.rawValue),
        "MARK_BYTE.registration_token": "'\(escape(RegistrationToken.mark[0]))'",
        "SKIP_BYTE.active": byte(SkipReason.active.rawValue),
        "RUN.noted": "\(NotedRun.Kind.noted.rawValue)",
        "JOB.group": "'gateways'",

        "COUNT_KEY.present": "\(UpdateTokenState.present.countKey)",
        "COUNT_KEY.dead": "\(UpdateTokenState.dead.countKey)",
        "COUNT_KEY.shown": "\(UpdateTokenState.shown.countKey)",

        "KINDS.with_one_token":
            "{\((0..<UInt8(RouteKind.count)).filter { RouteKind(rawValue: $0).hasOneToken }.map { "[\($0)]=true" }.joined(separator: ","))}",

        "SIZE.reserved_schedule": "\(ReservedSchedule.length)",
        "SIZE.slots_per_band": "\(RosterGeometry.slotsPerBand)",
        "SIZE.slots_per_page": "\(RosterGeometry.slotsPerPage)",
        "SIZE.slots_per_partition": "\(RosterGeometry.slotsPerPartition)",
        "SIZE.partitions_per_band": "\(RosterGeometry.partitionsPerBand)",
        "SIZE.pages_per_partition": "\(RosterGeometry.pagesPerPartition)",
        "SIZE.page_turn": "\(PageTurn.length)",

        "QUOTA.burst": "\(QuotaRules.burst)", "QUOTA.first_share": "\(QuotaRules.firstShare)",
        "QUOTA.least_share": "\(QuotaRules.leastShare)", "QUOTA.longest_wait": "\(QuotaRules.longestWait)",
        "QUOTA.recovery": "\(QuotaRules.recovery)", "QUOTA.rest": "\(QuotaRules.rest)",
        "QUOTA.window": "\(QuotaRules.window)",

        "LIMIT.arrivals_kept": "\(ScriptLimits.arrivalsKept)",
        "LIMIT.clock_difference": "\(ScriptLimits.clockDifference)",
        "LIMIT.clock_step": "\(ScriptLimits.clockStep)",
        "LIMIT.content_of_end": "\(ScriptLimits.contentOfEnd)",
        "LIMIT.ended_in_activity": "\(ScriptLimits.endedInActivity)",
        "LIMIT.ended_value": "\(ScriptLimits.endedValue)",
        "LIMIT.end_again": "\(ScriptLimits.endAgain)",
        "LIMIT.ends_in_row": "\(ScriptLimits.endsInRow)",
        "LIMIT.ended_schedules": "\(ScriptLimits.endedSchedules)",
        "LIMIT.erased_of_user": "\(ScriptLimits.erasedOfUser)",
        "LIMIT.fields_of_user": "\(ScriptLimits.fieldsOfUser)",
        "LIMIT.former_owners": "\(TokenIndex.maximumFormers)",
        "LIMIT.former_tokens": "\(ScriptLimits.formerTokens)",
        "LIMIT.kept_after_end": "\(Activity.keptAfterEnd.millisecondsRoundedUp)",
        "LIMIT.kept_restarts": "\(RestartMark.keptRestarts)",
        "LIMIT.late_end": "\(ScriptLimits.lateEnd)",
        "LIMIT.listed_in_part": "\(ScriptLimits.listedInPart)",
        "LIMIT.longest_wait": "\(ScriptLimits.longestWait)",
        "LIMIT.outcome_kinds": "\(OutcomePage.maximumKinds)",
        "LIMIT.recent_broadcasts": "\(ActivityStatus.recentBroadcasts)",
        "LIMIT.restarts_kept_for": "\(RestartMark.keptFor)",
        "LIMIT.sync_times": "{\(TimeToSync.bounds.map { "\($0)" }.joined(separator: ","))}",
        "LIMIT.short_page": "\(PageKey.longestField)",
        "LIMIT.segments": "\(ScriptLimits.segments)",
        "LIMIT.tokens_of_user": "\(ScriptLimits.tokensOfUser)",
        "LIMIT.names_of_user": "\(ScriptLimits.namesOfUser)",
        "LIMIT.small_broadcast": "\(JobLane.smallBroadcast)",
        "LIMIT.coverable_lists": "\(ScriptLimits.coverableLists)",
        "LIMIT.due_sorted": "\(ScriptLimits.dueSorted)",
        "LIMIT.due_turns_kept": "\(ScriptLimits.dueTurnsKept)",
        "LIMIT.due_unsorted": "\(ScriptLimits.dueUnsorted)",
        "LIMIT.short_list": "\(ScriptLimits.shortList)",

        "TURN.start": "0", "TURN.whole": "1", "TURN.long_list": "2", "TURN.short_list": "3",
        "TURN.long_update": "4", "TURN.short_update": "5", "TURN.timed_update": "6",
    ]

    /// A string of one byte.
    private static func byte(_ value: UInt8) -> String { "'\(escape(value))'" }

    /// A byte in a string: always three digits, so that a digit may follow.
    private static func escape(_ value: UInt8) -> String {
        let digits = String(value)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// A field of a hash that holds a number.
    private static func text(_ state: Activity.State) -> String { "'\(state.rawValue)'" }
}

/// Bounds that the scripts keep by themselves.
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
    /// The least difference, in milliseconds, by which an update counts as received after another one. The gateways'
    /// estimates of Redis's clock differ by less.
    static let clockDifference = 100
    /// The period in milliseconds for which the arrival of updates to target lists is noted.
    static let arrivalsKept = 60_000
    /// The most stored segments of one tenant.
    static let segments = 10_000
}
