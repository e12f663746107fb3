public import Foundation

/// A point in time by two clocks. Pauses use the uptime, so that a changed wall clock neither ends nor extends them.
public struct Moment: Codable, Hashable, Sendable {
    /// The device's clock, which users and networks may set in either direction.
    public var wall: Date
    /// Seconds since the device started, including sleep.
    public var uptime: TimeInterval

    /// - Parameters:
    ///   - wall: The time by the device's clock.
    ///   - uptime: Seconds since the device started, including sleep.
    public init(wall: Date, uptime: TimeInterval) {
        self.wall = wall
        self.uptime = uptime
    }

    /// The seconds since an earlier moment, at least 0. After a restart the wall clock determines them.
    public func elapsed(since earlier: Moment) -> TimeInterval {
        let byUptime = uptime - earlier.uptime
        return byUptime >= 0 ? byUptime : max(0, wall.timeIntervalSince(earlier.wall))
    }

    /// Returns `now` if this moment is later by both clocks, after a restart with the clock set back.
    func capped(at now: Moment) -> Moment { now.uptime < uptime && now.wall < wall ? now : self }

    /// True if the uptime shows a restart since an earlier moment.
    func isAfterRestart(since earlier: Moment) -> Bool { uptime < earlier.uptime }
}

/// A pause, by its start and its length in seconds.
struct Wait: Codable, Hashable, Sendable {
    var from: Moment
    var seconds: TimeInterval

    /// The remaining seconds, at least 0.
    func left(at now: Moment) -> TimeInterval { max(0, seconds - now.elapsed(since: from)) }

    func capped(at now: Moment) -> Wait { Wait(from: from.capped(at: now), seconds: seconds) }
}

/// An exponential backoff up to a limit. It is random, so that phones that failed together do not retry together.
struct Backoff: Sendable {
    var first: TimeInterval
    var longest: TimeInterval

    /// - Parameters:
    ///   - failures: The number of consecutive failures, at least 1.
    ///   - draw: A random number from 0 to below 1.
    /// - Returns: Seconds, from half of the full pause to the whole.
    func pause(after failures: Int, draw: Double) -> TimeInterval {
        let full = min(longest, first * pow(2, Double(min(max(failures, 1) - 1, 30))))
        return full * (0.5 + draw / 2)
    }
}
