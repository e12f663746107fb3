import Broadcasts
import GatewayAPI
import MetricsCore

extension MetricPage {
    /// Writes what tenants share, and how much of it is in use.
    mutating func add(_ usage: [SharedResourceUsage], broadcasts jobs: JobSnapshot) {
        let broadcasts = SharedResourceUsage(
            name: "broadcasts", capacity: jobs.maximumUnfinished, used: jobs.unfinished,
            refusals: jobs.refusedUnfinished)
        let all = usage + [broadcasts]
        gauge("fanfare_share_used", "How much is in use of what tenants share.") { family in
            for resource in all { family.add(resource.used, ["resource": resource.name]) }
        }
        gauge("fanfare_share_capacity", "How much there is of what tenants share.") { family in
            for resource in all { family.add(resource.capacity, ["resource": resource.name]) }
        }
        counter("fanfare_share_refusals_total", "Requests that were refused for want of a share.") { family in
            for resource in all { family.add(resource.refusals, ["resource": resource.name]) }
        }
    }
}
