/// All that a gateway has only so much of and that its tenants share: each has a fair share, by `ShareRule`.
public final class GatewayShares: Sendable {
    let uploads: SharedResource
    let eventStreams: SharedResource
    let listings: SharedResource
    /// Bytes of bodies that are held in memory, of requests that are not answered.
    let bodies: SharedResource
    let reports: ReportShares

    /// As much of each as the settings say.
    public init(_ settings: APISettings) {
        uploads = SharedResource("uploads", capacity: settings.maximumUploads)
        eventStreams = SharedResource("event_streams", capacity: settings.maximumEventStreams)
        listings = SharedResource("listings", capacity: settings.maximumListings)
        bodies = SharedResource(
            "body_bytes", capacity: max(settings.maximumBufferedBytes, settings.maximumBodyBytes),
            quantum: settings.maximumBodyBytes)
        reports = ReportShares(capacity: settings.maximumReports)
    }

    /// How much of each is given.
    public var usage: [SharedResourceUsage] {
        [uploads, eventStreams, listings, bodies].map(\.usage) + [reports.usage]
    }

    /// What a tenant has of each, and could have alone.
    func shares(ofTenant tenantID: String, weight: Int) -> [TenantShare] {
        let customer = Claimant.customer(tenantID, weight: weight)
        let devices = Claimant.devices(ofTenant: tenantID, weight: weight)
        return [uploads, eventStreams, listings, bodies].map { $0.share(of: customer) }
            + [
                bodies.share(of: devices).named("device_body_bytes"),
                reports.share(ofTenant: tenantID, weight: weight),
            ]
    }
}
