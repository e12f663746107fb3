public import GatewayStore
public import TimeCore

/// The bounds of the API.
public struct APISettings: Sendable {
    /// The largest body, in bytes.
    public var maximumBodyBytes = 2 * 1024 * 1024
    /// From a request's head to the end of its body.
    public var bodyDeadline = TimeInterval.seconds(20)
    /// How long a body that is on its way when the server stops has to come to its end.
    public var bodyDeadlineWhenStopping = TimeInterval.seconds(5)
    /// From the beginning of a connection, or its last answer, to the end of the next head.
    public var headDeadline = TimeInterval.seconds(60)
    /// Requests of each API key in each window.
    public var requestsPerMinute = 1000
    /// The length of the window; a minute but for tests.
    public var rateWindow = TimeInterval.seconds(60)
    /// The most insider_ids in one request.
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
    /// The largest body of a device's request, in bytes: none of what devices say is long.
    public var maximumReportBytes = 16 * 1024
    /// Bytes of bodies that are held in memory, of requests that are not answered; tenants share them.
    public var maximumBufferedBytes = 256 * 1024 * 1024
    /// Broadcasts of all gateways that have not ended; one more is refused with 503 `OVERLOADED`, before anything has
    /// changed.
    public var maximumBroadcasts = 1000
    /// Streams of events about broadcasts that may be open at once; tenants share them.
    public var maximumEventStreams = 1000
    /// Reports of devices that are in the store's hands at once; tenants share them.
    public var maximumReports = 16_384
    /// How long an SDK key is taken for what it was: one that is revoked works that much longer.
    public var admissionLifetime = TimeInterval.seconds(1)
    /// How long a reply waits for the fan-out before it becomes a 202.
    public var waitTimeout = TimeInterval.seconds(30)
    /// How long a reply waits for a user or device to be erased; what is left then is done all the same.
    public var erasurePatience = TimeInterval.milliseconds(900)
    /// How long a client that uploads a segment may send nothing.
    public var uploadSilence = TimeInterval.seconds(20)
    /// Lists of users that may be uploaded at once; tenants share them.
    public var maximumUploads = 32
    /// How fast an upload must be once more than half of these are under way, in bytes a second; 0 for any pace.
    public var slowestUpload = 1024
    /// For how long an upload is waited for before it is said how fast it is.
    public var uploadWindow = TimeInterval.seconds(30)
    /// Listings that may be read at once; tenants share them.
    public var maximumListings = 32
    /// Changes of many users that are carried out at once, such as registrations; tenants share them.
    public var maximumBulkChanges = 16
    /// How long such a change waits for a place.
    public var placePatience = TimeInterval.seconds(5)
    /// Erasures that are carried out at once as they are asked for; tenants share them, and the due queue has the
    /// others.
    public var maximumErasures = 16

    /// The origins whose pages may read replies to customers, as browsers send them; `*` for all.
    public var crossOrigins: Set<String> = []

    /// What is allowed of webhooks.
    public var webhooks = WebhookPolicy()

    public init() {}
}
