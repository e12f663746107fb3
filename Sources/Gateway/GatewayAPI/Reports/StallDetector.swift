import TimeCore

/// Detects that an event loop stood still, for instance because its process was stopped. The loop then reads requests
/// that have waited in its sockets. They may be as old as the stall, and other gateways may have carried out newer ones
/// since. So for a moment after a stall no request tells when it came.
///
/// A loop that runs has a turn each `period` at least.
struct StallDetector {
    enum Stall: Equatable, Sendable {
        case nothing
        /// Longer than a loop that runs is usually away. A request may have waited if its caller has left since.
        case brief
        /// Longer than a loop that runs is ever away. Any request may have waited.
        case long
    }

    static let period = TimeInterval.milliseconds(250)
    static let usualTurn = TimeInterval.milliseconds(500)
    static let longestTurn = TimeInterval.seconds(4)
    /// Enough time to read all that has come during a stall.
    static let recovery = TimeInterval.seconds(1)

    private var lastTurn: MonotonicTime
    private var briefEnd: MonotonicTime?
    private var longEnd: MonotonicTime?

    init(now: MonotonicTime) {
        lastTurn = now
    }

    /// The longest stall within `recovery` before the last turn.
    private(set) var recent = Stall.nothing

    /// The loop is running at this moment.
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
