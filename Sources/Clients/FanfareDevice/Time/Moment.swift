public import Foundation

/// A point in time, by two clocks. Pauses are measured by the one that nobody sets, so that a changed clock neither
/// ends nor prolongs them.
public struct Moment: Codable, Hashable, Sendable {
    /// What the device's clock shows. Users and networks set it, in either direction.
    public var wall: Date
    /// Seconds since the device was started, also those in which it slept.
    public var uptime: TimeInterval

    /// - Parameters:
    ///   - wall: what the device's clock shows.
    ///   - uptime: seconds since the device was started, also those in which it slept.
    public init(wall: Date, uptime: TimeInterval) {
        self.wall = wall
        self.uptime = uptime
    }

    /// The seconds that have passed since an earlier moment, 0 at least. After a restart of the device they are what
    /// its clock says.
    public func elapsed(since earlier: Moment) -> TimeInterval {
        let byUptime = uptime - earlier.uptime
        return byUptime >= 0 ? byUptime : max(0, wall.timeIntervalSince(earlier.wall))
    }

    /// What is kept of a moment when the device was started again and its clock was set back: it cannot lie ahead.
    func capped(at now: Moment) -> Moment { now.uptime < uptime && now.wall < wall ? now : self }

    /// Whether the device was started again since an earlier moment, as far as its uptime shows that.
    func isAfterRestart(since earlier: Moment) -> Bool { uptime < earlier.uptime }
}

/// A pause that began at a moment and lasts some seconds.
struct Wait: Codable, Hashable, Sendable {
    var from: Moment
    var seconds: TimeInterval

    /// How many seconds of it are left, 0 at least.
    func left(at now: Moment) -> TimeInterval { max(0, seconds - now.elapsed(since: from)) }

    func capped(at now: Moment) -> Wait { Wait(from: from.capped(at: now), seconds: seconds) }
}

/// How long to pause after failures: twice as long after each, up to a limit, and spread at random so that phones that
/// failed together do not come back together.
struct Backoff: Sendable {
    var first: TimeInterval
    var longest: TimeInterval

    /// - Parameters:
    ///   - failures: how many there were in a row, 1 at least.
    ///   - draw: a random number, 0 or more and below 1.
    /// - Returns: seconds: from half of the full pause to all of it.
    func pause(after failures: Int, draw: Double) -> TimeInterval {
        let full = min(longest, first * pow(2, Double(min(max(failures, 1) - 1, 30))))
        return full * (0.5 + draw / 2)
    }
}
