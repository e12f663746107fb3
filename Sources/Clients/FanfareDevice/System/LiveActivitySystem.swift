public import Foundation

/// What shows Live Activities: ActivityKit on a phone, a script in tests.
public protocol LiveActivitySystem: Sendable {
    /// All that happens, from the moment at which the object was made; one reader takes them. What there is already
    /// comes first.
    var events: AsyncStream<SystemEvent> { get }
    /// Takes a Live Activity off the lock screen. One that is gone is no error.
    func end(systemID: String, activityType: String) async
    /// Has `SystemEvent.inventory` sent for each type that is watched.
    func takeInventory() async
}

/// Something that the system has told.
public enum SystemEvent: Hashable, Sendable {
    /// Whether the user allows Live Activities, and frequent updates of them.
    case permission(allowsActivities: Bool, frequentPushes: Bool)
    /// The push-to-start token of a type.
    case pushToStartToken(Data, activityType: String)
    /// A Live Activity is there: it was found at launch, or has just been started, by a push or by the app.
    case found(FoundLiveActivity)
    /// A Live Activity has an update token.
    case updateToken(Data, systemID: String)
    /// A Live Activity shows a content.
    /// - Parameters:
    ///   - fingerprint: differs between contents that differ.
    ///   - staleDate: when the content counts as outdated; nil where it does not say.
    case content(systemID: String, fingerprint: String, staleDate: Date?)
    /// A Live Activity is in another state.
    case phase(LiveActivityPhase, systemID: String)
    /// All Live Activities of a type that there are now, by their system ids.
    case inventory([String], activityType: String)
}

/// Where a Live Activity stands for the system.
public enum LiveActivityPhase: String, Codable, Sendable {
    /// It is shown, and may be updated.
    case active
    /// It is over, and may be on the lock screen still.
    case ended
    /// It is off the lock screen.
    case dismissed
}

/// What the system knows of a Live Activity when it is found.
public struct FoundLiveActivity: Hashable, Sendable {
    /// The system's id: `Activity.id`.
    public let systemID: String
    /// The name of its ActivityAttributes type.
    public let activityType: String
    /// The gateway's id of the activity, where its attributes have one (`options.activity_id_attribute` of register and
    /// topics).
    public let activityID: String?
    /// What the app calls it, where the app started it and its attributes say so.
    public let externalID: ExternalActivity?
    /// Where it stands.
    public let phase: LiveActivityPhase
    /// How long it is left without new content before it is ended, in seconds, where that differs from the
    /// configuration's.
    public let staleAfter: TimeInterval?

    /// Says what is known.
    public init(
        systemID: String, activityType: String, activityID: String? = nil, externalID: ExternalActivity? = nil,
        phase: LiveActivityPhase = .active, staleAfter: TimeInterval? = nil
    ) {
        self.systemID = systemID
        self.activityType = activityType
        self.activityID = activityID
        self.externalID = externalID
        self.phase = phase
        self.staleAfter = staleAfter
    }
}
