import Broadcasts
import GatewayStore
import LiveActivity

/// Reads the usage of tenants.
protocol UseStore: Sendable {
    /// Returns the usage of the limits that apply to the tenant as a whole.
    func use(of tenantID: String, _ limits: TenantLimits) async throws(StoreError) -> [TenantLimits.Limit: Int]
}

extension QuotaReader: UseStore {}

/// The endpoint of a tenant's limits and their usage.
struct LimitsAPI: Sendable {
    let store: any UseStore
    let shares: GatewayShares
    let jobs: JobWorker

    func show(_ request: CustomerRequest) async throws -> Reply {
        let limits = request.limits
        let used = try await store.use(of: request.tenantID, limits)
        let shares = shares(of: request)
        return .success { writer in
            writer.array("limits") { array in
                for limit in TenantLimits.Limit.allCases {
                    array.object {
                        $0.field("name", limit.name)
                        $0.field("limit", limits[limit] == 0 ? nil : limits[limit])
                        $0.field("used", used[limit])
                        $0.field("default", !limits.isSet(limit))
                    }
                }
            }
            writer.array("shares") { array in
                for share in shares {
                    array.object {
                        $0.field("name", share.name)
                        $0.field("limit", share.limit)
                        $0.field("used", share.used)
                    }
                }
            }
        }
    }

    /// The tenant's shares of the resources of this gateway and of all gateways.
    private func shares(of request: CustomerRequest) -> [TenantShare] {
        let weight = request.limits[.weight]
        let broadcasts = TenantShare(
            name: "broadcasts", used: jobs.unfinishedBroadcasts(ofTenant: request.tenantID),
            limit: jobs.mostUnfinishedBroadcasts(weight: weight))
        return shares.shares(ofTenant: request.tenantID, weight: weight) + [broadcasts]
    }
}
