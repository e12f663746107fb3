import TimeCore

/// Decides when a server that ended unexpectedly is restarted, and when restarts stop. Pure.
struct RestartPolicy {
    var backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
    /// The uptime after which the count of ends restarts.
    var steadiness = TimeInterval.seconds(60)
    /// The number of ends in a row after which restarts stop: with the pauses above, about a minute.
    var maximumEnds = 12

    private var ends = 0

    init() {}

    /// Records an end or a failed start.
    /// - Parameter life: The server's uptime.
    /// - Returns: The pause before the restart; nil to stop restarting.
    mutating func ended(after life: TimeInterval) -> TimeInterval? {
        if life >= steadiness { ends = 0 }
        ends += 1
        guard ends < maximumEnds else { return nil }
        return backoff.pause(after: ends)
    }
}
