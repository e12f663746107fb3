import MetricsCore
import Webhooks

extension MetricPage {
    mutating func add(_ webhooks: WebhookSnapshot) {
        counter("fanfare_webhook_attempts_total", "Tries to deliver an event, by what came of them.") { family in
            family.add(webhooks.delivered, ["result": "delivered"])
            for (kind, count) in webhooks.failed { family.add(count, ["result": kind]) }
        }
        counter("fanfare_webhook_events_given_up_total", "Events that no try of a day has delivered: dead letters.") {
            $0.add(webhooks.givenUp)
        }
        gauge("fanfare_webhooks_failing", "Webhooks that have failed five times in a row, and are only probed.") {
            $0.add(webhooks.failing)
        }
        histogram("fanfare_webhook_attempt_duration_seconds", "How long a try took, from the look-up of the name on.") {
            $0.add(webhooks.answers)
        }
        histogram("fanfare_webhook_delivery_lag_seconds", "From when an event was recorded until a receiver had it.") {
            $0.add(webhooks.lags)
        }
    }
}
