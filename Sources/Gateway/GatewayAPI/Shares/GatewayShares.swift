import TimeCore

/// All that a gateway has only so much of and that its tenants share: each has a fair share, by `ShareRule`.
public final class GatewayShares: Sendable {
    let uploads: SharedResource
    let eventStreams: SharedResource
    let listings: SharedResource
    /// Changes of many users at once.
    let bulkChanges: SharedResource
    /// Erasures that requests have begun and that go on here.
    let erasures: SharedResource
    /// Bytes of bodies that are held in memory, of requests that are not answered.
    let bodies: SharedResource
    let reports: ReportShares
    private let patience: TimeInterval

    /// As much of each as the settings say.
    public init(_ settings: APISettings) {
        uploads = SharedResource("uploads", capacity: settings.maximumUploads)
        eventStreams = SharedResource("event_streams", capacity: settings.maximumEventStreams)
        listings = SharedResource("listings", capacity: settings.maximumListings)
        bulkChanges = SharedResource("bulk_changes", capacity: settings.maximumBulkChanges)
        erasures = SharedResource("erasures", capacity: settings.maximumErasures)
        bodies = SharedResource(
            "body_bytes", capacity: max(settings.maximumBufferedBytes, settings.maximumBodyBytes),
            quantum: settings.maximumBodyBytes)
        reports = ReportShares(capacity: settings.maximumReports)
        patience = settings.placePatience
    }

    /// A place among the changes of many users, once there is one.
    func placeForChange(_ claimant: Claimant) async throws -> Share {
        guard let place = try await bulkChanges.place(for: claimant, within: patience) else {
            throw APIError(.overloaded, "too many bulk changes of users are in progress; try again", retryAfter: 1)
        }
        return place
    }

    /// How much of each is given.
    public var usage: [SharedResourceUsage] {
        [uploads, eventStreams, listings, bulkChanges, erasures, bodies].map(\.usage) + [reports.usage]
    }

    /// What a tenant has of each, and could have alone: its own systems, and what its devices ask for apart.
    func shares(ofTenant tenantID: String, weight: Int) -> [TenantShare] {
        let customer = Claimant.customer(tenantID, weight: weight)
        let devices = Claimant.devices(ofTenant: tenantID, weight: weight)
        return [uploads, eventStreams, listings, bulkChanges, erasures, bodies].map { $0.share(of: customer) }
            + [listings, erasures, bodies].map {
                let share = $0.share(of: devices)
                return share.named("device_\(share.name)")
            } + [reports.share(ofTenant: tenantID, weight: weight)]
    }
}
