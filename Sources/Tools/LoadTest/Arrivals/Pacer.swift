import TimeCore

/// Decides when the next call may be sent, and counts late calls.
///
/// An open pacer has calls due by the clock; a delayed call keeps its due time. A closed pacer has a call due whenever
/// there is capacity for it. Both limit the calls under way.
///
/// Invariants:
/// 1. `underWay` never exceeds the bound.
/// 2. No call is taken before it is due.
/// 3. Each due call is taken or given up exactly once.
struct Pacer: Sendable {
    enum Pace: Sendable {
        case open(ArrivalSchedule)
        /// A number of calls, each sent as soon as there is capacity.
        case closed(calls: Int)
    }

    /// The punctuality of the sent calls.
    struct Punctuality: Sendable, Equatable {
        /// The number of calls sent more than `tolerance` after their due time.
        var late = 0
        /// The number of late calls that waited for the bound of calls under way.
        var heldByBound = 0
        /// The number of late calls that waited because there was nothing to call.
        var heldByPlayer = 0
        var worst = TimeInterval.zero
    }

    /// The delay that timers and turns of the event loop may cause.
    static let tolerance = TimeInterval.milliseconds(1)

    private(set) var underWay = 0
    private(set) var punctuality = Punctuality()
    private var pace: Pace
    private let start: MonotonicTime
    private let bound: Int
    /// The last time at which the bound was left. Calls due before waited for it.
    private var boundLeft: MonotonicTime?
    private var playerHeldUntil: MonotonicTime?

    init(_ pace: Pace, start: MonotonicTime, bound: Int) {
        self.pace = pace
        self.start = start
        self.bound = max(1, bound)
    }

    /// True if no further call will be due.
    var isExhausted: Bool { nextDue == nil }

    private var nextDue: MonotonicTime? {
        switch pace {
        case .open(let schedule): schedule.next.map { start + $0 }
        case .closed(let calls): calls > 0 ? start : nil
        }
    }

    /// The next time at which a call may be due; nil if there are no calls or the bound is reached.
    var wakeTime: MonotonicTime? {
        underWay < bound ? nextDue : nil
    }

    /// Returns the due time of the next call if it may be sent now.
    func due(at now: MonotonicTime) -> MonotonicTime? {
        guard underWay < bound, let due = nextDue, due <= now else { return nil }
        if case .closed = pace { return now }
        return due
    }

    /// Records that the due call has been sent.
    mutating func callSent(due: MonotonicTime, at now: MonotonicTime) {
        precondition(underWay < bound, "a call was sent with \(underWay) of \(bound) under way")
        underWay += 1
        take()
        if case .closed = pace { return }
        let lateness = now - due
        guard lateness > Pacer.tolerance else { return }
        punctuality.late += 1
        punctuality.worst = max(punctuality.worst, lateness)
        if let boundLeft, due < boundLeft {
            punctuality.heldByBound += 1
        } else if let playerHeldUntil, due < playerHeldUntil {
            punctuality.heldByPlayer += 1
        }
    }

    /// Records the end of a call, with or without an answer.
    mutating func callEnded(at now: MonotonicTime) {
        precondition(underWay > 0, "a call ended with none under way")
        if underWay == bound { boundLeft = now }
        underWay -= 1
    }

    /// Records that there is nothing to call. Calls due until now have waited for that.
    mutating func playerHeld(at now: MonotonicTime) {
        playerHeldUntil = now
    }

    /// Drops the due call because no connection is available.
    mutating func callFailed() {
        take()
    }

    /// Drops the next unsent call if it was due by `now`, and returns its due time. Open pacers only.
    mutating func giveUpNext(at now: MonotonicTime) -> MonotonicTime? {
        guard case .open = pace, let due = nextDue, due <= now else { return nil }
        take()
        return due
    }

    private mutating func take() {
        switch pace {
        case .open(var schedule):
            schedule.advance()
            pace = .open(schedule)
        case .closed(let calls):
            pace = .closed(calls: calls - 1)
        }
    }
}
