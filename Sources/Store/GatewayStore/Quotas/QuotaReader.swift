/// Reads how much tenants use.
public struct QuotaReader: Sendable {
    let usage: TenantUsage
    let rates: RequestRates
    let opened: OpenedActivities
    let reserved: ReservedSchedules

    /// What is used of the limits that are a tenant's as a whole; those of one user or device are as many as there are
    /// of these.
    public func use(of tenantID: String, _ limits: TenantLimits) async throws(StoreError) -> [TenantLimits.Limit: Int] {
        let counts = try await usage.counts(tenantID, limits)
        let schedules = try await reserved.use(tenantID)
        var used: [TenantLimits.Limit: Int] = [
            .users: counts.users, .devices: counts.devices, .newDevices: counts.newDevices,
            .openedActivities: try await opened.count(tenantID),
            .appSchedules: schedules.count, .appScheduleBytes: schedules.bytes,
        ]
        // Without a limit nobody counts them.
        if limits[.sdkRequests] > 0 { used[.sdkRequests] = try await rates.requests(ofTenant: tenantID) }
        return used
    }
}

extension GatewayStore {
    /// How much tenants use.
    public var quotas: QuotaReader { QuotaReader(usage: usage, rates: rates, opened: opened, reserved: reserved) }
}
