public import GatewayStore
public import TimeCore

/// The bounds of the API.
public struct APISettings: Sendable {
    /// The largest body, in bytes.
    public var maximumBodyBytes = 2 * 1024 * 1024
    /// The time from a request's head to the end of its body.
    public var bodyDeadline = TimeInterval.seconds(20)
    /// The time that a body in transit has to end when the server stops.
    public var bodyDeadlineWhenStopping = TimeInterval.seconds(5)
    /// The time from the start of a connection, or its last answer, to the end of the next head.
    public var headDeadline = TimeInterval.seconds(60)
    /// The requests that each API key may send in each window.
    public var requestsPerMinute = 1000
    /// The length of the window. Only tests change it.
    public var rateWindow = TimeInterval.seconds(60)
    /// The maximum number of insider_ids in one request.
    public var maximumInsiderIDs = 10_000
    /// The lowest tier that may use live activities.
    public var requiredTier = Tenant.Tier.growth

    /// Throws `TIER_REQUIRED` for a tenant of a lower tier.
    func check(_ tier: Tenant.Tier) throws {
        guard tier < requiredTier else { return }
        var error = APIError(.tierRequired, "Live Activities require the tier \(requiredTier.rawValue) or higher")
        error.requiredTier = requiredTier
        throw error
    }
    /// The largest body of a device's request, in bytes.
    public var maximumReportBytes = 16 * 1024
    /// The bytes of the bodies of unanswered requests that memory may hold. Tenants share them.
    public var maximumBufferedBytes = 256 * 1024 * 1024
    /// The maximum number of unfinished broadcasts of all gateways. Another one gets 503 `OVERLOADED`.
    public var maximumBroadcasts = 1000
    /// The maximum number of open event streams about broadcasts. Tenants share them.
    public var maximumEventStreams = 1000
    /// The maximum number of device reports that the store handles at once. Tenants share them.
    public var maximumReports = 16_384
    /// The time for which an SDK key's admission is cached. A revoked key works that much longer.
    public var admissionLifetime = TimeInterval.seconds(1)
    /// The time that a reply waits for the fan-out before it becomes a 202.
    public var waitTimeout = TimeInterval.seconds(30)
    /// The time that a reply waits for the erasure of a user or device. Unfinished work continues afterwards.
    public var erasurePatience = TimeInterval.milliseconds(900)
    /// The time for which a client that uploads a segment may send nothing.
    public var uploadSilence = TimeInterval.seconds(20)
    /// The maximum number of user lists in upload. Tenants share them.
    public var maximumUploads = 32
    /// The minimum speed of an upload, in bytes a second, while more than half of the places are taken; 0 for none.
    public var slowestUpload = 1024
    /// The time before the speed of an upload is measured.
    public var uploadWindow = TimeInterval.seconds(30)
    /// The maximum number of listings in progress. Tenants share them.
    public var maximumListings = 32
    /// The maximum number of changes of many users in progress, for example registrations. Tenants share them.
    public var maximumBulkChanges = 16
    /// The time that a change of many users waits for a place.
    public var placePatience = TimeInterval.seconds(5)
    /// The maximum number of erasures that run at once. Tenants share them. The due queue takes the others.
    public var maximumErasures = 16

    /// The origins whose pages may read replies to customers, as browsers send them; `*` for all.
    public var crossOrigins: Set<String> = []

    /// The rules for webhooks.
    public var webhooks = WebhookPolicy()

    public init() {}
}
