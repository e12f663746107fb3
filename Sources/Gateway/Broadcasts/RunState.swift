import Delivery
import GatewayStore
import LiveActivity
import Reactor
import RosterCore
import TimeCore

/// The task of a run: a job of a broadcast, and the way to the provider.
struct RunTask {
    let order: BroadcastOrder
    let ticket: JobTicket
    /// Nil for a late end, which has no checkpoint and no counts.
    let job: JobAssignment?
    /// Nil when no push can carry the order. Then nothing is sent.
    let rendered: (any RenderedPush)?
    /// A page that was read before the run was begun.
    let preread: PageOfDevices?
    /// Sends the pushes; nil when there is none of the kind.
    let broadcaster: Broadcaster?
}

/// The state of a run beside that of `BroadcastCore`.
struct RunState {
    /// True if another gateway works on the job.
    var isLost = false
    var isOver = false
    /// True if nothing may be sent, because the job may be another gateway's by now.
    var isHeld = false
    /// True if only retries that are not due are left, and other jobs use the job's place until then.
    var isResting = false
    /// True if the job is given back as soon as the store knows which devices may have got a push.
    var isLeavingEarly = false
    /// True if another run recorded the reason to stop.
    var isStopKnown = false
    var isStopNoted = false
    /// True if the provider has accepted a late end.
    var isEndedLate = false
    /// True if the provider has deleted the run's channel, and that is recorded.
    var hasDroppedChannel = false
}

/// The pages of a run, as far as the store needs to know.
struct RunPages {
    /// The pages that were read and are not finished, by number. The report times are those of an end's tokens.
    var open: [Int: (skipped: SkipCounts, reportTimes: [UInt8])] = [:]
    /// True if more pages are open than usual, and that is recorded.
    var areMany = false
    /// True if pages were sent in part and their outcomes are not recorded.
    var leaveDoubt = false
    /// The number of partial outcomes written.
    var parts = 0
    /// Tokens that the provider has refused as wrong, until the run is over.
    var refused: [RefusedTokens] = []
}

/// The times of a run.
struct RunTimes {
    let madeAt: MonotonicTime
    /// The time of the provider's last answer; at first the time at which the run was made.
    var answeredAt: MonotonicTime
    /// The times at which the provider got the first and the last push; nil before the first.
    var pushed: (first: MonotonicTime, last: MonotonicTime)?

    init(madeAt: MonotonicTime) {
        (self.madeAt, answeredAt) = (madeAt, madeAt)
    }
}

/// The timers of a run.
struct RunTimers {
    var retry: (due: MonotonicTime, timer: ReactorTimer)?
    /// Ends the wait for more outcomes of open pages.
    var record: ReactorTimer?
    var expiry: ReactorTimer?
    /// Cancels the pushes of a superseded update that have no answer.
    var superseded: ReactorTimer?

    func cancel(on reactor: Reactor) {
        for timer in [retry?.timer, record, expiry, superseded] {
            if let timer { reactor.cancel(timer) }
        }
    }
}
