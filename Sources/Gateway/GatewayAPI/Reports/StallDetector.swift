import TimeCore

/// Detects a stall of an event loop, for example because its process was stopped. The loop then reads requests that may
/// be as old as the stall. Other gateways may have carried out newer ones since. So for a moment after a stall, the
/// arrival time of a request is unknown.
///
/// A running loop has a turn at least each `period`.
struct StallDetector {
    enum Stall: Equatable, Sendable {
        case nothing
        /// Longer than the usual pause of a running loop. A request may have waited if its caller has left since.
        case brief
        /// Longer than any pause of a running loop. Any request may have waited.
        case long
    }

    static let period = TimeInterval.milliseconds(250)
    static let usualTurn = TimeInterval.milliseconds(500)
    static let longestTurn = TimeInterval.seconds(4)
    /// The time that suffices to read all input of a stall.
    static let recovery = TimeInterval.seconds(1)

    private var lastTurn: MonotonicTime
    private var briefEnd: MonotonicTime?
    private var longEnd: MonotonicTime?

    init(now: MonotonicTime) {
        lastTurn = now
    }

    /// The longest stall within `recovery` before the last turn.
    private(set) var recent = Stall.nothing

    /// Records a turn of the loop.
    mutating func turn(_ now: MonotonicTime) {
        let now = max(now, lastTurn)
        let pause = now - lastTurn
        lastTurn = now
        if pause > StallDetector.usualTurn {
            briefEnd = now
            if pause > StallDetector.longestTurn { longEnd = now }
        } else if briefEnd == nil {
            return
        }
        if let longEnd, now - longEnd < StallDetector.recovery {
            recent = .long
        } else if let briefEnd, now - briefEnd < StallDetector.recovery {
            recent = .brief
        } else {
            (briefEnd, longEnd, recent) = (nil, nil, .nothing)
        }
    }
}
