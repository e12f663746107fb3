import EventCore
import GatewayStore
public import MetricsCore
import TimeCore

/// What a gateway counts of deliveries. Belongs to one actor.
final class WebhookMetrics {
    private var delivered: UInt64 = 0
    private var failed: [AttemptFailure.Kind: UInt64] = [:]
    private var givenUp: UInt64 = 0
    private let answered = LatencyRecorder()
    private let lags = LatencyRecorder(bounds: WebhookMetrics.bounds)

    /// Up to some thirty hours: the last try is made after a day.
    private static let bounds = 31

    init() {}

    /// - Parameter outcome: what becomes of the event.
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

    /// Times up to 16 ms are not told apart.
    private static let droppedBuckets = 8
}

/// What a gateway has done to deliver events, since it was started.
public struct WebhookSnapshot: Sendable {
    /// Tries that went well.
    public let delivered: UInt64
    /// Those that did not, by the kind of failure.
    public let failed: [(kind: String, count: UInt64)]
    /// Events that were given up after a day.
    public let givenUp: UInt64
    /// Webhooks of this gateway's tenants that have failed five times in a row, and are only probed.
    public let failing: Int
    /// How long tries took.
    public let answers: HistogramSnapshot
    /// From when an event was recorded until a receiver had it.
    public let lags: HistogramSnapshot
}
