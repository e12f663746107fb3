public import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells the time, draws at random and sleeps: what a `FanfareDevice` knows of the world's course.
public protocol DeviceClock: Sendable {
    /// The present moment.
    func now() -> Moment
    /// A random number, 0 or more and below 1.
    func draw() -> Double
    /// Returns after some seconds, or at once with an error when its task is cancelled.
    func sleep(seconds: TimeInterval) async throws
}

/// The device's own clocks.
public struct SystemDeviceClock: DeviceClock {
    /// Makes one; all are alike.
    public init() {}

    /// The present moment, by the device's clock and by its uptime.
    public func now() -> Moment {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #else
            clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return Moment(wall: Date(), uptime: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
    }

    /// From the system's generator.
    public func draw() -> Double { Double.random(in: 0..<1) }

    /// Sleeps, and wakes with an error when its task is cancelled.
    public func sleep(seconds: TimeInterval) async throws {
        try await Task.sleep(for: .milliseconds(Int64(min(max(seconds, 0), 1e9) * 1000)))
    }
}
