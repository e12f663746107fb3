import TimeCore

/// Whether an event loop can say when what it reads has come. A process that was stopped finds in its sockets what has come
/// meanwhile: reports that are as old as its sleep, and that other gateways may have heard the contrary of since. So for a
/// moment after it woke, which is enough to read all of that, it cannot.
///
/// A loop that runs has a turn each `period` at least.
struct Wakefulness {
    static let period = TimeInterval.seconds(1)
    /// Longer than a loop that runs is ever away.
    static let longestTurn = TimeInterval.seconds(4)
    static let recovery = TimeInterval.seconds(1)

    private var lastTurn: MonotonicTime
    private var wokeAt: MonotonicTime?

    init(now: MonotonicTime) {
        lastTurn = now
    }

    /// By the last turn.
    private(set) var isAwake = true

    /// The loop is running at this moment.
    mutating func turn(_ now: MonotonicTime) {
        if now - lastTurn > Wakefulness.longestTurn {
            wokeAt = now
            isAwake = false
        } else if let woke = wokeAt, now - woke >= Wakefulness.recovery {
            wokeAt = nil
            isAwake = true
        }
        lastTurn = max(lastTurn, now)
    }
}
