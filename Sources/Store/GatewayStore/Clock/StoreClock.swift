import Reactor
import RedisClient
public import TimeCore

/// Redis's clock, which all gateways of a store share. Expiries and due times follow it, so a gateway with a wrong
/// clock runs nothing too early. It is estimated by the monotonic clock and ignores jumps of the machine's clock.
/// Callable from any thread.
public final class StoreClock: Sendable {
    /// The reliability of a gateway's clock.
    public enum State: Equatable, Sendable {
        /// Redis has not reported its time yet. Due work waits.
        case unknown
        case trusted
        /// The machine's clock differs too much from Redis's. The gateway takes no work.
        case skewed
    }

    private let estimator = Locked(ClockEstimator())
    private let maximumSkew: TimeInterval
    private let local: @Sendable () -> WallTime
    private let monotonic: @Sendable () -> MonotonicTime

    /// - Parameters:
    ///   - maximumSkew: The largest allowed difference of the machine's clock from Redis's.
    ///   - local: The machine's clock.
    public init(
        maximumSkew: TimeInterval, local: @escaping @Sendable () -> WallTime = WallTime.now,
        monotonic: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now
    ) {
        self.maximumSkew = maximumSkew
        self.local = local
        self.monotonic = monotonic
    }

    /// Redis's time; the machine's time until Redis's is known.
    public var now: WallTime {
        estimator.withLock { $0 }.time(at: monotonic()) ?? local()
    }

    /// The bounds of Redis's time. They hold any time until it is known, because the machine's clock may be wrong.
    public var bounds: ClockBounds {
        estimator.withLock { $0 }.bounds(at: monotonic()) ?? .any
    }

    /// The milliseconds by which the machine's clock is ahead of Redis's; nil if that is not known.
    public var skew: Int64? {
        estimator.withLock { $0 }.time(at: monotonic()).map { local().milliseconds - $0.milliseconds }
    }

    /// The state by the machine's present time. It can change without a new sample.
    public var state: State {
        guard let skew else { return .unknown }
        return skew.magnitude * 1_000_000 <= maximumSkew.nanoseconds ? .trusted : .skewed
    }

    /// Adds a sample of TIME in microseconds since 1970. Returns the microseconds by which the clock was set; nil if it
    /// was not set.
    @discardableResult
    func answered(_ time: Int64, sent: MonotonicTime, received: MonotonicTime) -> Int64? {
        estimator.withLock { $0.answered(time, sent: sent, received: received) }
    }
}

/// The bounds of Redis's time at a moment. They differ by the shortest round trip and by drift.
public struct ClockBounds: Equatable, Sendable {
    /// A time that Redis's clock has reached.
    public let earliest: WallTime
    /// A time that Redis's clock has not passed.
    public let latest: WallTime

    public init(earliest: WallTime, latest: WallTime) {
        self.earliest = earliest
        self.latest = latest
    }

    /// The bounds of an unknown time, up to the end of the year 9999.
    static let any = ClockBounds(earliest: WallTime(seconds: 0), latest: WallTime(seconds: 253_402_300_799))

    /// Makes the bounds of an exact clock.
    public init(_ time: WallTime) {
        self.init(earliest: time, latest: time)
    }
}

extension GatewayStore {
    /// Samples Redis's time. Ignores errors.
    /// - Returns: The milliseconds by which Redis's clock was set since the last sample, negative for a step back; nil
    ///   if it was not set.
    @discardableResult
    public func sample(_ clock: StoreClock) async -> Int64? {
        await redis.reactor.call(stopped: nil) { [redis] done in
            let sent = MonotonicTime.now()
            redis.send(RedisCommand("TIME")) { result in
                var step: Int64?
                if case .success(let view) = result {
                    let parts = view.elements.map { Int64($0.string) }
                    if parts.count == 2, let seconds = parts[0], let microseconds = parts[1] {
                        step = clock.answered(seconds * 1_000_000 + microseconds, sent: sent, received: .now())
                    }
                }
                done(step.map { $0 / 1000 })
            }
        }
    }
}
