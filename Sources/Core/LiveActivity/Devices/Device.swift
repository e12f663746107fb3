/// Names one device of one user. Both parts must match: a phone that changes hands has another key.
public struct DeviceKey: Hashable, Sendable {
    /// The customer's name for the user.
    public let insiderID: String
    /// The customer's name for the device.
    public let udid: String

    /// The longest insider_id or udid that is taken, in UTF-8 bytes.
    public static let maximumLength = 250

    /// Whether a text can be a part of the name: it is neither empty nor too long, has no zero byte, and is no dot
    /// segment.
    public static func isName(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count)
            && !(text.utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? text.utf8.contains(0))
            && !isDotSegment(text.utf8)
    }

    /// True for `.` and `..`. No URL can have them in its path, because clients resolve them (RFC 3986, section 5.2.4).
    public static func isDotSegment(_ text: some Collection<UInt8>) -> Bool {
        text.count <= 2 && !text.isEmpty && text.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    public init(insiderID: String, udid: String) {
        self.insiderID = insiderID
        self.udid = udid
    }

    /// Whether it is a user's. Names are bytes: two spellings of one letter are two users.
    public func isOf(_ insiderID: String) -> Bool { self.insiderID.utf8.elementsEqual(insiderID.utf8) }

    // Names are bytes: two spellings of one letter are two users, as they are in the store.
    public static func == (left: DeviceKey, right: DeviceKey) -> Bool {
        left.insiderID.utf8.elementsEqual(right.insiderID.utf8) && left.udid.utf8.elementsEqual(right.udid.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for text in [insiderID, udid] {
            hasher.combine(text.utf8.count)
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

/// What a device has said of itself.
public struct Device: Equatable, Sendable {
    /// What a device runs.
    public enum Platform: String, Sendable {
        case ios, android

        /// Whether its devices have one token for all pushes, a registration token, and none for each Live Activity.
        public var hasOneToken: Bool {
            switch self {
            case .ios: false
            case .android: true
            }
        }
    }

    /// Which of the provider's environments the device's tokens belong to.
    public enum Environment: String, Sendable {
        case production, sandbox
    }

    /// What the device runs.
    public var platform: Platform
    /// The version of that.
    public var osVersion: OSVersion
    /// The app's version, as the app says it; nil when it does not.
    public var appVersion: String?
    /// Whether the user allows push notifications.
    public var pushOptIn: Bool
    /// Whether the user has consented to the processing of personal data.
    public var gdprConsent: Bool
    /// Whether the user allows more frequent Live Activity updates.
    public var frequentPushes: Bool
    /// Where its tokens are good.
    public var environment: Environment

    public init(
        platform: Platform, osVersion: OSVersion, appVersion: String? = nil, pushOptIn: Bool, gdprConsent: Bool,
        frequentPushes: Bool = false, environment: Environment
    ) {
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.pushOptIn = pushOptIn
        self.gdprConsent = gdprConsent
        self.frequentPushes = frequentPushes
        self.environment = environment
    }
}
