import Delivery
import LiveActivity
import RosterCore

/// The constants that the scripts use: `STATUS.startFailed` is `STATUS.start_failed` in Lua, and
/// `STATUS_BYTE.start_failed` is a string of this byte.
///
/// `scripts/store_scripts` finds the values in the sources and writes them into the scripts' texts. Each refers to the
/// type with which the rest of the store reads and writes it.
enum ScriptConstants {
    enum STATUS {
        static let absent = DeliveryStatus.absent
        static let registered = DeliveryStatus.registered
        static let removed = DeliveryStatus.removed
        static let startAccepted = DeliveryStatus.startAccepted
        static let startFailed = DeliveryStatus.startFailed
        static let startUnknown = DeliveryStatus.startUnknown
        static let startUnsent = DeliveryStatus.startUnsent
        /// The least of the statuses that give the reason of an end.
        static let ended = DeliveryStatus.firstEnd
        static let dismissed = DeliveryStatus.firstEnd + EndReason.userDismissed.rawValue
        static let unfollowed = DeliveryStatus.firstEnd + EndReason.userUnfollow.rawValue
    }

    /// Sets of delivery statuses, as Lua's patterns spell them.
    enum STATUSES {
        static let notRegistered = "[^\(byte(STATUS.registered))]"
        static let notLive = "[^\(byte(STATUS.registered))\(byte(STATUS.startAccepted))-\(byte(STATUS.startUnsent))]"
        static let leftOut = "[\(byte(STATUS.startFailed))\(byte(STATUS.startUnsent))]"
        /// Once an activity is over, a Live Activity that has not ended may report a token. The token of a dismissed
        /// one identifies it.
        static let needsTokens =
            "[\(byte(STATUS.registered))\(byte(STATUS.startAccepted))-\(byte(STATUS.startUnsent))\(byte(STATUS.dismissed))]"
        static let notEnded = "[%z\(byte(1))-\(byte(STATUS.ended - 1))]"
    }

    enum MARK {
        /// Nothing is known.
        static let none = 0
        static let deadToken = TokenPage.deadTokenMark
        static let liveActivityShown = TokenPage.liveActivityShownMark
        static let healing = TokenPage.healingMark
        static let quarantinedToken = TokenPage.quarantinedTokenMark
        static let registrationToken = RegistrationToken.mark[0]
        static let pushOptOut = SkipReason.pushOptOut.rawValue
        static let gdprDenied = SkipReason.gdprDenied.rawValue
    }

    enum SKIP {
        static let active = SkipReason.active.rawValue
    }

    enum ACTIVITY {
        static let registered = text(Activity.State.registered.rawValue)
        static let started = text(Activity.State.started.rawValue)
        static let dead = text(Activity.State.dead.rawValue)
    }

    enum BROADCAST {
        static let queued = BroadcastState.queued.rawValue
        static let running = BroadcastState.running.rawValue
    }

    enum SCHEDULE {
        static let done = Schedule.State.done.rawValue
    }

    enum DOUBT {
        static let nothing = text(PageDoubt.nothing.rawValue)
    }

    enum PAGE {
        static let open = byte(PageProgress.open.rawValue)
        static let done = byte(PageProgress.done.rawValue)
        static let openAgain = byte(PageProgress.openAgain.rawValue)
    }

    enum RUN {
        static let noted = NotedRun.Kind.noted.rawValue
    }

    enum JOB {
        static let group = "gateways"
    }

    /// The numbers that `count-states` adds to delivery statuses.
    enum COUNT_KEY {
        static let present = UpdateTokenState.present.rawValue
        static let dead = UpdateTokenState.dead.rawValue
        static let shown = UpdateTokenState.shown.rawValue
    }

    enum KINDS {
        static let withOneToken: Set = [RouteKind.fcm.rawValue]
    }

    enum SIZE {
        static let reservedSchedule = ReservedSchedule.length
        static let slotsPerBand = RosterGeometry.slotsPerBand
        static let slotsPerPage = RosterGeometry.slotsPerPage
        static let slotsPerPartition = RosterGeometry.slotsPerPartition
        static let partitionsPerBand = RosterGeometry.partitionsPerBand
        static let pagesPerPartition = RosterGeometry.pagesPerPartition
        static let pageTurn = PageTurn.length
    }

    enum QUOTA {
        static let burst = QuotaRules.burst
        static let firstShare = QuotaRules.firstShare
        static let leastShare = QuotaRules.leastShare
        static let longestWait = QuotaRules.longestWait
        static let recovery = QuotaRules.recovery
        static let rest = QuotaRules.rest
        static let window = QuotaRules.window
    }

    /// The classes of updates in the order of turns.
    enum TURN {
        static let start = 0
        static let whole = 1
        static let longList = 2
        static let shortList = 3
        static let longUpdate = 4
        static let shortUpdate = 5
        static let timedUpdate = 6
    }

    typealias LIMIT = ScriptLimits

    /// A byte in a string of Lua: always three digits, so that a digit may follow.
    private static func byte(_ value: UInt8) -> String {
        let digits = String(value)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// A field of a hash that holds a number.
    private static func text(_ value: some BinaryInteger) -> String { "\(value)" }
}
