import GatewayStore
import MetricsCore

extension MetricPage {
    mutating func add(_ refusals: QuotaRefusals) {
        counter(
            "fanfare_quota_refusals_total",
            "Requests of devices that were refused because a limit of their tenant was reached."
        ) { family in
            for (limit, count) in refusals.all { family.add(count, ["limit": limit.name]) }
        }
    }
}
