/// The key of one device of one user. Both parts must match, so a phone that changes hands gets another key.
public struct DeviceKey: Hashable, Sendable {
    /// The customer's name for the user.
    public let insiderID: String
    /// The customer's name for the device.
    public let udid: String

    /// The maximum length of an insider_id or udid, in UTF-8 bytes.
    public static let maximumLength = 250

    /// True if the text is valid as an insider_id or udid: 1 to `maximumLength` bytes, no zero byte, no dot segment.
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

    /// True if the device belongs to the user. Names are compared as bytes: two spellings of one letter are two users.
    public func isOf(_ insiderID: String) -> Bool { self.insiderID.utf8.elementsEqual(insiderID.utf8) }

    // Compares bytes as the store does: two spellings of one letter are two users.
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

/// The properties that a device reported.
public struct Device: Equatable, Sendable {
    /// The platform of a device.
    public enum Platform: String, Sendable {
        case ios, android

        /// True if devices have one registration token for all pushes, and none for each Live Activity.
        public var hasOneToken: Bool {
            switch self {
            case .ios: false
            case .android: true
            }
        }
    }

    /// The provider's environment of the device's tokens.
    public enum Environment: String, Sendable {
        case production, sandbox
    }

    /// The platform of the device.
    public var platform: Platform
    /// The version of the operating system.
    public var osVersion: OSVersion
    /// The app's version as reported, if any.
    public var appVersion: String?
    /// True if the user allows push notifications.
    public var pushOptIn: Bool
    /// True if the user has consented to the processing of personal data.
    public var gdprConsent: Bool
    /// True if the user allows more frequent Live Activity updates.
    public var frequentPushes: Bool
    /// The environment of its tokens.
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
