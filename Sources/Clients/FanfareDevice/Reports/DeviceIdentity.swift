/// A user and one of the user's devices.
public struct DeviceIdentity: Codable, Hashable, Sendable {
    /// The customer's id of the user.
    public let insiderID: String
    /// The app's id of this installation. It must not change while the app is installed.
    public let udid: String

    /// Returns nil if an id is empty or longer than 250 bytes of UTF-8.
    public init?(insiderID: String, udid: String) {
        guard (1...250).contains(insiderID.utf8.count), (1...250).contains(udid.utf8.count) else { return nil }
        self.insiderID = insiderID
        self.udid = udid
    }
}

/// The app's description of the phone and its user.
public struct DeviceDescription: Codable, Hashable, Sendable {
    /// Apple's push environments.
    public enum Environment: String, Codable, Sendable {
        /// Builds from the App Store, TestFlight or an enterprise.
        case production
        /// Builds run from Xcode.
        case sandbox
    }

    /// The version of iOS, like `18.1`.
    public var osVersion: String
    /// The app's version, at most 64 bytes; nil if unknown.
    public var appVersion: String?
    /// True if the user wants pushes. The library reports false while the system forbids Live Activities.
    public var pushOptIn: Bool
    /// True if the user has consented to the processing of personal data.
    public var gdprConsent: Bool
    /// The push environment of the app's tokens.
    public var environment: Environment

    /// Creates a complete description. Report later changes with `FanfareDevice.describe`.
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

/// The app's name of an activity that it starts.
public struct ExternalActivity: Codable, Hashable, Sendable {
    /// The scope of a name.
    public enum Scope: String, Codable, Sendable {
        /// One user. The same name of another user is another activity.
        case user
        /// All users. Their reports with this name join one activity.
        case shared
    }

    /// The name of the ActivityAttributes type.
    public let activityType: String
    /// The app's id, like the number of an order.
    public let externalID: String
    /// The scope of the name.
    public let scope: Scope

    /// Returns nil if a name is blank or longer than 250 bytes of UTF-8.
    public init?(activityType: String, externalID: String, scope: Scope = .user) {
        for name in [activityType, externalID] {
            guard name.utf8.count <= 250, name.contains(where: { !$0.isWhitespace }) else { return nil }
        }
        self.activityType = activityType
        self.externalID = externalID
        self.scope = scope
    }
}
