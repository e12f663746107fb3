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
        gauge("fanfare_share_used", "Use of a resource that tenants share.") { family in
            for resource in all { family.add(resource.used, ["resource": resource.name]) }
        }
        gauge("fanfare_share_capacity", "Capacity of a resource that tenants share.") { family in
            for resource in all { family.add(resource.capacity, ["resource": resource.name]) }
        }
        counter("fanfare_share_refusals_total", "Requests refused because a share was used up.") { family in
            for resource in all { family.add(resource.refusals, ["resource": resource.name]) }
        }
    }
}
