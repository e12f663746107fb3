import GatewayStore
import LiveActivity

/// Knows how much tenants use.
protocol UseStore: Sendable {
    /// What is used of the limits that are the tenant's as a whole.
    func use(of tenantID: String, _ limits: TenantLimits) async throws(StoreError) -> [TenantLimits.Limit: Int]
}

extension QuotaReader: UseStore {}

/// What a tenant may use, and what is used.
struct LimitsAPI: Sendable {
    let store: any UseStore

    func show(_ request: CustomerRequest) async throws -> Reply {
        let limits = request.limits
        let used = try await store.use(of: request.tenantID, limits)
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
        }
    }
}
