/// Reads tenants' use of their quotas.
public struct QuotaReader: Sendable {
    let usage: TenantUsage
    let rates: RequestRates
    let opened: OpenedActivities
    let reserved: ReservedSchedules

    /// Returns the use of each limit that applies to a whole tenant. Limits of one user or one device are absent.
    public func use(of tenantID: String, _ limits: TenantLimits) async throws(StoreError) -> [TenantLimits.Limit: Int] {
        let counts = try await usage.counts(tenantID, limits)
        let schedules = try await reserved.use(tenantID)
        var used: [TenantLimits.Limit: Int] = [
            .users: counts.users, .devices: counts.devices, .newDevices: counts.newDevices,
            .openedActivities: try await opened.count(tenantID),
            .appSchedules: schedules.count, .appScheduleBytes: schedules.bytes,
        ]
        // Without a limit the requests are not counted.
        if limits[.sdkRequests] > 0 { used[.sdkRequests] = try await rates.requests(ofTenant: tenantID) }
        return used
    }
}

extension GatewayStore {
    /// The reader of tenants' quota use.
    public var quotas: QuotaReader { QuotaReader(usage: usage, rates: rates, opened: opened, reserved: reserved) }
}
