public import TimeCore

/// One live activity as the store knows it: which segment, which type, where in its life.
public struct Activity: Equatable, Sendable {
    /// `registered` -> `started` -> `dead`; a registered one may die without having started. Raw values are stored.
    public enum State: UInt8, Sendable {
        /// The segment is known; nothing has been sent. May become `started` or `dead`.
        case registered = 0
        /// The start lock is taken. May become `dead`.
        case started = 1
        /// Ended, cancelled or expired. Final.
        case dead = 2
    }

    /// Chosen by the gateway.
    public var id: UniqueID
    /// Whose it is.
    public var tenantID: String
    /// The name of the app's ActivityAttributes type, case-sensitive.
    public var type: String
    /// Where it is in its life.
    public var state: State
    /// When it was registered.
    public var createdAt: WallTime
    /// Nil until it is started.
    public var startedAt: WallTime?
    /// When it ends by itself.
    public var endsAt: WallTime
    /// The key under which the activity's id is added to `attributes`, when the customer asked for that.
    public var activityIDAttribute: String?
    /// What devices call an activity that they opened by themselves; nil for one that a customer registered.
    public var externalID: String?
    /// The user whose own the external id is, by insider_id; nil when all users share it, and without one.
    public var externalOwner: String?
    /// The customer's label for people; nil for none.
    public var label: String?

    /// The most characters of a label, counted as Unicode scalars.
    public static let maximumLabelLength = 128

    /// Whether it is a user's own. Names are bytes: two spellings of one letter are two users.
    public func isOwn(of insiderID: String) -> Bool { externalOwner?.utf8.elementsEqual(insiderID.utf8) == true }

    public init(
        id: UniqueID, tenantID: String, type: String, state: State = .registered, createdAt: WallTime,
        startedAt: WallTime? = nil, endsAt: WallTime, activityIDAttribute: String? = nil, externalID: String? = nil,
        externalOwner: String? = nil, label: String? = nil
    ) {
        self.id = id
        self.tenantID = tenantID
        self.type = type
        self.state = state
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.endsAt = endsAt
        self.activityIDAttribute = activityIDAttribute
        self.externalID = externalID
        self.externalOwner = externalOwner
        self.label = label
    }
}
