import GatewayStore
import MetricsCore

extension MetricPage {
    mutating func add(_ refusals: QuotaRefusals) {
        counter(
            "fanfare_quota_refusals_total",
            "Device requests refused because of a tenant's limit."
        ) { family in
            for (limit, count) in refusals.all { family.add(count, ["limit": limit.name]) }
        }
    }
}
