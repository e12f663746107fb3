import TimeCore

/// When a server that has ended by itself is started again, and when it is given up. Pure.
struct RestartPolicy {
    var backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
    /// A server that has run for so long is not one that cannot run.
    var steadiness = TimeInterval.seconds(60)
    /// After so many ends in a row it is given up: with the pauses above, about a minute.
    var maximumEnds = 12

    private var ends = 0

    init() {}

    /// The server has ended, or could not be started.
    /// - Parameter life: how long it ran.
    /// - Returns: how long to wait before it is started; nil: it is given up.
    mutating func ended(after life: TimeInterval) -> TimeInterval? {
        if life >= steadiness { ends = 0 }
        ends += 1
        guard ends < maximumEnds else { return nil }
        return backoff.pause(after: ends)
    }
}
