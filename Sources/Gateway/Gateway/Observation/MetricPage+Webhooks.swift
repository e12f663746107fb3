import MetricsCore
import Webhooks

extension MetricPage {
    mutating func add(_ webhooks: WebhookSnapshot) {
        counter("fanfare_webhook_attempts_total", "Delivery attempts by result.") { family in
            family.add(webhooks.delivered, ["result": "delivered"])
            for (kind, count) in webhooks.failed { family.add(count, ["result": kind]) }
        }
        counter("fanfare_webhook_events_given_up_total", "Dead letters: events not delivered within a day.") {
            $0.add(webhooks.givenUp)
        }
        gauge("fanfare_webhooks_failing", "Webhooks with five consecutive failures, which are only probed.") {
            $0.add(webhooks.failing)
        }
        histogram("fanfare_webhook_attempt_duration_seconds", "Time of a delivery attempt, including the name look-up.")
        {
            $0.add(webhooks.answers)
        }
        histogram("fanfare_webhook_delivery_lag_seconds", "Time from the recording of an event to its delivery.") {
            $0.add(webhooks.lags)
        }
    }
}
