public import Foundation

/// The source of Live Activities: ActivityKit on a phone, a script in tests.
public protocol LiveActivitySystem: Sendable {
    /// All events since the creation of the object, for one reader. Present Live Activities come first.
    var events: AsyncStream<SystemEvent> { get }
    /// Removes a Live Activity from the lock screen. A missing one is not an error.
    func end(systemID: String, activityType: String) async
    /// Sends `SystemEvent.inventory` for each watched type.
    func takeInventory() async
}

/// An event of the system.
public enum SystemEvent: Hashable, Sendable {
    /// The permission for Live Activities, and for frequent updates.
    case permission(allowsActivities: Bool, frequentPushes: Bool)
    /// The push-to-start token of a type.
    case pushToStartToken(Data, activityType: String)
    /// A Live Activity was found at launch, or was just started by a push or by the app.
    case found(FoundLiveActivity)
    /// A Live Activity got an update token.
    case updateToken(Data, systemID: String)
    /// A Live Activity shows content.
    /// - Parameters:
    ///   - fingerprint: A text that differs between different contents.
    ///   - staleDate: The time at which the content becomes outdated; nil if not given.
    case content(systemID: String, fingerprint: String, staleDate: Date?)
    /// A Live Activity changed its phase.
    case phase(LiveActivityPhase, systemID: String)
    /// The system ids of all present Live Activities of a type.
    case inventory([String], activityType: String)
}

/// The phase of a Live Activity.
public enum LiveActivityPhase: String, Codable, Sendable {
    /// The Live Activity is shown and accepts updates.
    case active
    /// The Live Activity has ended, and may still be on the lock screen.
    case ended
    /// The Live Activity is off the lock screen.
    case dismissed
}

/// A Live Activity, as found by the system.
public struct FoundLiveActivity: Hashable, Sendable {
    /// The system's id: `Activity.id`.
    public let systemID: String
    /// The name of its ActivityAttributes type.
    public let activityType: String
    /// The gateway's id in the attributes, if any (`options.activity_id_attribute` of register and topics).
    public let activityID: String?
    /// The app's name, if the app started it and its attributes name it.
    public let externalID: ExternalActivity?
    /// The present phase.
    public let phase: LiveActivityPhase
    /// The seconds without new content after which it is ended; nil for the configuration's.
    public let staleAfter: TimeInterval?

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
