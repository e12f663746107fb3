import Reactor
import RedisClient
public import TimeCore

/// Redis's clock, which all gateways of a store share: whatever expires or is due goes by it, so that a gateway whose
/// own clock is wrong neither ends nor begins anything early. Follows no jump of the machine's clock, for it is
/// reckoned by the monotonic one. From any thread.
public final class StoreClock: Sendable {
    /// How far a gateway's clock may be trusted.
    public enum State: Equatable, Sendable {
        /// Redis has not told the time yet: nothing that is due is carried out.
        case unknown
        case trusted
        /// The machine's own clock is further from Redis's than is allowed: no work is taken.
        case skewed
    }

    private let estimator = Locked(ClockEstimator())
    private let maximumSkew: TimeInterval
    private let local: @Sendable () -> WallTime
    private let monotonic: @Sendable () -> MonotonicTime

    /// - Parameters:
    ///   - maximumSkew: how far the machine's clock may be from Redis's.
    ///   - local: the machine's clock.
    public init(
        maximumSkew: TimeInterval, local: @escaping @Sendable () -> WallTime = WallTime.now,
        monotonic: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now
    ) {
        self.maximumSkew = maximumSkew
        self.local = local
        self.monotonic = monotonic
    }

    /// Redis's time; the machine's as long as that is not known.
    public var now: WallTime {
        estimator.withLock { $0 }.time(at: monotonic()) ?? local()
    }

    /// The bounds of Redis's time; the machine's time as long as Redis has not told its own.
    public var bounds: ClockBounds {
        estimator.withLock { $0 }.bounds(at: monotonic()) ?? ClockBounds(local())
    }

    /// By how many milliseconds the machine's clock is ahead of Redis's; nil as long as that is not known.
    public var skew: Int64? {
        estimator.withLock { $0 }.time(at: monotonic()).map { local().milliseconds - $0.milliseconds }
    }

    /// By the machine's clock at this moment, so it changes without a word from Redis.
    public var state: State {
        guard let skew else { return .unknown }
        return skew.magnitude * 1_000_000 <= maximumSkew.nanoseconds ? .trusted : .skewed
    }

    /// Takes the reply to TIME, in microseconds since 1970. Returns the microseconds by which the clock was set, if it
    /// was.
    @discardableResult
    func answered(_ time: Int64, sent: MonotonicTime, received: MonotonicTime) -> Int64? {
        estimator.withLock { $0.answered(time, sent: sent, received: received) }
    }
}

/// The bounds of Redis's time at a moment. They differ by the round trip of the quickest answer, and by drift.
public struct ClockBounds: Equatable, Sendable {
    /// A time that Redis's clock shows already.
    public let earliest: WallTime
    /// A time that Redis's clock does not exceed yet.
    public let latest: WallTime

    public init(earliest: WallTime, latest: WallTime) {
        self.earliest = earliest
        self.latest = latest
    }

    /// The bounds of a clock that is exact.
    public init(_ time: WallTime) {
        self.init(earliest: time, latest: time)
    }
}

extension GatewayStore {
    /// Asks Redis for the time. Nothing happens when it does not answer.
    /// - Returns: the milliseconds by which Redis's clock was set since the sample before, negative for a step back;
    ///   nil if it was not set.
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
