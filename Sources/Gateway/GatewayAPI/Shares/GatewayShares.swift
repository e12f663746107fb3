import TimeCore

/// The limited resources of a gateway. Each tenant gets a fair share by `ShareRule`.
public final class GatewayShares: Sendable {
    let uploads: SharedResource
    let eventStreams: SharedResource
    let listings: SharedResource
    /// Changes of many users in progress.
    let bulkChanges: SharedResource
    /// Erasures that requests began and that run on this gateway.
    let erasures: SharedResource
    /// The bytes of the bodies of unanswered requests in memory.
    let bodies: SharedResource
    let reports: ReportShares
    private let patience: TimeInterval

    /// Creates the resources with the capacities of the settings.
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

    /// Returns a place among the changes of many users, as soon as there is one.
    func placeForChange(_ claimant: Claimant) async throws -> Share {
        guard let place = try await bulkChanges.place(for: claimant, within: patience) else {
            throw APIError(.overloaded, "too many bulk changes of users are in progress; try again", retryAfter: 1)
        }
        return place
    }

    /// The current usage of each resource.
    public var usage: [SharedResourceUsage] {
        [uploads, eventStreams, listings, bulkChanges, erasures, bodies].map(\.usage) + [reports.usage]
    }

    /// Returns a tenant's use and limit of each resource, for its own systems and its devices separately.
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
