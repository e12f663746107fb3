import EventCore
import GatewayStore
public import MetricsCore
import TimeCore

/// The counters of a gateway's deliveries. Confined to one actor.
final class WebhookMetrics {
    private var delivered: UInt64 = 0
    private var failed: [AttemptFailure.Kind: UInt64] = [:]
    private var givenUp: UInt64 = 0
    private let answered = LatencyRecorder()
    private let lags = LatencyRecorder(bounds: WebhookMetrics.bounds)

    /// The number of buckets, up to about thirty hours: the last attempt follows after a day.
    private static let bounds = 31

    init() {}

    /// - Parameter outcome: The outcome for the event.
    func tried(_ attempt: DeliveryAttempt, _ outcome: DeliveryOutcome, of delivery: Delivery, now: WallTime) {
        answered.record(nanoseconds: attempt.duration.nanoseconds)
        if let failure = attempt.failure {
            failed[failure.kind, default: 0] += 1
        } else {
            delivered += 1
            lags.record(nanoseconds: UInt64(max(0, now.milliseconds - delivery.event.time.milliseconds)) * 1_000_000)
        }
        if case .dead = outcome { givenUp += 1 }
    }

    func snapshot(failing: Int) -> WebhookSnapshot {
        WebhookSnapshot(
            delivered: delivered, failed: AttemptFailure.Kind.allCases.map { ($0.rawValue, failed[$0] ?? 0) },
            givenUp: givenUp, failing: failing, answers: answered.snapshot(),
            lags: lags.snapshot(droppingFirst: WebhookMetrics.droppedBuckets))
    }

    /// The number of the lowest buckets that are dropped, up to 16 ms.
    private static let droppedBuckets = 8
}

/// The totals of a gateway's deliveries since its start.
public struct WebhookSnapshot: Sendable {
    /// Successful attempts.
    public let delivered: UInt64
    /// Failed attempts, by the kind of failure.
    public let failed: [(kind: String, count: UInt64)]
    /// Events that were given up after a day.
    public let givenUp: UInt64
    /// Webhooks of this gateway's tenants that have failed five times in a row, and are only probed.
    public let failing: Int
    /// The durations of attempts.
    public let answers: HistogramSnapshot
    /// The times from an event's record to its delivery.
    public let lags: HistogramSnapshot
}
