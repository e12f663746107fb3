public import TimeCore

/// A Live Activity in the store: its segment, type and state.
public struct Activity: Equatable, Sendable {
    /// `registered` -> `started` -> `dead`; a registered activity may become `dead` directly. Raw values are stored.
    public enum State: UInt8, Sendable {
        /// The segment is stored; no push was sent. May become `started` or `dead`.
        case registered = 0
        /// The start lock is taken. May become `dead`.
        case started = 1
        /// Ended, cancelled or expired. Final.
        case dead = 2
    }

    /// The id, created by the gateway.
    public var id: UniqueID
    /// The tenant that owns the activity.
    public var tenantID: String
    /// The name of the app's ActivityAttributes type, case-sensitive.
    public var type: String
    /// The state in its life cycle.
    public var state: State
    /// The time of the registration.
    public var createdAt: WallTime
    /// The time of the start; nil before.
    public var startedAt: WallTime?
    /// The time of its automatic end.
    public var endsAt: WallTime
    /// The key in `attributes` under which the activity's id is added; nil if the customer does not use it.
    public var activityIDAttribute: String?
    /// The id from the device that opened the activity; nil for one that a customer registered.
    public var externalID: String?
    /// The insider_id of the only user of the external id; nil if all users share it, or without one.
    public var externalOwner: String?
    /// The customer's label for people, if any.
    public var label: String?

    /// The maximum length of a label in Unicode scalars.
    public static let maximumLabelLength = 128

    /// True if the activity belongs to this user only. Names are bytes: two spellings of one letter are two users.
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
