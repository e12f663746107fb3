public import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The source of time, random numbers and sleep for a `FanfareDevice`.
public protocol DeviceClock: Sendable {
    /// The present time.
    func now() -> Moment
    /// A random number from 0 to below 1.
    func draw() -> Double
    /// Returns after the given time. Throws at once if the task is cancelled.
    func sleep(seconds: TimeInterval) async throws
}

/// The clocks of the device.
public struct SystemDeviceClock: DeviceClock {
    public init() {}

    /// The present time by the device's clock and its uptime.
    public func now() -> Moment {
        var time = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #else
            clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return Moment(wall: Date(), uptime: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9)
    }

    /// A number from the system's generator.
    public func draw() -> Double { Double.random(in: 0..<1) }

    /// Sleeps. Throws if the task is cancelled.
    public func sleep(seconds: TimeInterval) async throws {
        try await Task.sleep(for: .milliseconds(Int64(min(max(seconds, 0), 1e9) * 1000)))
    }
}
