/// Who reports: a user and one of the user's devices.
public struct DeviceIdentity: Codable, Hashable, Sendable {
    /// What the customer's systems call the user.
    public let insiderID: String
    /// What the app calls this installation: the same one for as long as it is installed.
    public let udid: String

    /// Nil when one of the names is empty or longer than 250 bytes of UTF-8: no gateway takes it.
    public init?(insiderID: String, udid: String) {
        guard (1...250).contains(insiderID.utf8.count), (1...250).contains(udid.utf8.count) else { return nil }
        self.insiderID = insiderID
        self.udid = udid
    }
}

/// What the app says of the phone and its user.
public struct DeviceDescription: Codable, Hashable, Sendable {
    /// Which of Apple's environments the app's tokens belong to.
    public enum Environment: String, Codable, Sendable {
        /// The App Store's, TestFlight's, and that of enterprise builds.
        case production
        /// That of builds which are run from Xcode.
        case sandbox
    }

    /// The version of iOS, such as `18.1`.
    public var osVersion: String
    /// The app's version, at most 64 bytes; nil: not said.
    public var appVersion: String?
    /// Whether the user wants to be pushed to. The library says no to the gateway also while the system does not allow
    /// Live Activities.
    public var pushOptIn: Bool
    /// Whether the user has consented to the processing of personal data.
    public var gdprConsent: Bool
    /// Which of Apple's environments the app's tokens belong to.
    public var environment: Environment

    /// Says all at once. Whatever of it changes later is told by `FanfareDevice.describe`.
    public init(
        osVersion: String, appVersion: String? = nil, pushOptIn: Bool, gdprConsent: Bool, environment: Environment
    ) {
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.pushOptIn = pushOptIn
        self.gdprConsent = gdprConsent
        self.environment = environment
    }
}

/// The name of an activity that apps open by themselves.
public struct ExternalActivity: Codable, Hashable, Sendable {
    /// Whose name it is.
    public enum Scope: String, Codable, Sendable {
        /// This user's own: the same name of another user is another activity.
        case user
        /// That of all users: whoever reports it joins one activity.
        case shared
    }

    /// The name of the ActivityAttributes type.
    public let activityType: String
    /// What the app calls it, such as the number of an order.
    public let externalID: String
    /// Whose name it is.
    public let scope: Scope

    /// Nil when a name is blank or longer than 250 bytes of UTF-8.
    public init?(activityType: String, externalID: String, scope: Scope = .user) {
        for name in [activityType, externalID] {
            guard name.utf8.count <= 250, name.contains(where: { !$0.isWhitespace }) else { return nil }
        }
        self.activityType = activityType
        self.externalID = externalID
        self.scope = scope
    }
}
