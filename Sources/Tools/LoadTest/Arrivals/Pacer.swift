import TimeCore

/// Says when the next call may be sent, and counts those that were late.
///
/// Open: calls are due by the clock, and a call that cannot be sent in time keeps the time at which it was due. Closed:
/// a call is due whenever there is room for it. The number of calls under way has a bound in both.
///
/// Invariants: (1) `underWay` never exceeds the bound. (2) No call is taken before it is due. (3) Every call that was
/// due is taken or given up, once.
struct Pacer: Sendable {
    enum Pace: Sendable {
        case open(ArrivalSchedule)
        /// So many calls, each as soon as one before it has been answered.
        case closed(calls: Int)
    }

    /// How well the calls that were sent kept their times.
    struct Punctuality: Sendable, Equatable {
        /// Sent more than `tolerance` after the time due.
        var late = 0
        /// Of these, those that waited while as many calls as allowed were under way.
        var heldByBound = 0
        /// Of these, those for which there was nothing to call.
        var heldByPlayer = 0
        var worst = TimeInterval.zero
    }

    /// What timers and turns of an event loop cost is no lateness.
    static let tolerance = TimeInterval.milliseconds(1)

    private(set) var underWay = 0
    private(set) var punctuality = Punctuality()
    private var pace: Pace
    private let start: MonotonicTime
    private let bound: Int
    /// When the bound was last left. A call that was due before has waited for it.
    private var boundLeft: MonotonicTime?
    private var playerHeldUntil: MonotonicTime?

    init(_ pace: Pace, start: MonotonicTime, bound: Int) {
        self.pace = pace
        self.start = start
        self.bound = max(1, bound)
    }

    /// No more calls will ever be due.
    var isExhausted: Bool { nextDue == nil }

    private var nextDue: MonotonicTime? {
        switch pace {
        case .open(let schedule): schedule.next.map { start + $0 }
        case .closed(let calls): calls > 0 ? start : nil
        }
    }

    /// When to look again; nil when only an answer can change anything, or nothing can.
    var wakeTime: MonotonicTime? {
        underWay < bound ? nextDue : nil
    }

    /// The time at which the next call is or was due, if it may be sent now.
    func due(at now: MonotonicTime) -> MonotonicTime? {
        guard underWay < bound, let due = nextDue, due <= now else { return nil }
        if case .closed = pace { return now }
        return due
    }

    /// The call that was due has been sent.
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

    /// A call under way has come to its end, in whatever way.
    mutating func callEnded(at now: MonotonicTime) {
        precondition(underWay > 0, "a call ended with none under way")
        if underWay == bound { boundLeft = now }
        underWay -= 1
    }

    /// The call that is due cannot be made, since there is nothing to call. Calls due until it can have waited for
    /// that.
    mutating func playerHeld(at now: MonotonicTime) {
        playerHeldUntil = now
    }

    /// Takes the call that was due out of the schedule without sending it: there was no connection for it.
    mutating func callFailed() {
        take()
    }

    /// The time at which the next unsent call was due, if it was due by `now`; it is taken out of the schedule.
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
