public import Encodings
public import PushClient
public import TLS
public import TimeCore

/// The options for sending to one Firebase project.
public struct FCMOptions: Sendable {
    /// The path of the service account's file.
    public var serviceAccountFile: String
    /// The options of the push client: URL, trusted roots, proxy, connections, deadlines.
    public var push: PushClientOptions
    /// The https URL of the token endpoint; nil for that in the service account's file. Roots and proxy are those of
    /// `push`.
    public var tokenURL: String?
    /// The options of messages and the quota.
    public var messages = FCMSender.Options()
    /// The time in which the rate grows from a tenth to the whole, at first and after a minute without messages.
    public var rampUp = TimeInterval.seconds(60)

    /// True if both reach the same project in the same way.
    public func reachesTheSame(as other: FCMOptions) -> Bool {
        serviceAccountFile == other.serviceAccountFile && tokenURL == other.tokenURL
            && push.reachesTheSame(as: other.push)
    }

    /// Returns the mark that distinguishes the service account from others. Reads and checks its file.
    public func credentialMark() throws(PushConfigurationError) -> CredentialMark {
        try ServiceAccountFile.mark(ofFile: serviceAccountFile)
    }

    /// The URL of FCM (Google: "Authorize send requests").
    public static let url = "https://fcm.googleapis.com"

    /// The idle time after which Google closes connections, sometimes without notice.
    private static let idleTimeout = TimeInterval.seconds(240)

    /// - Parameter trust: Nil for the system's roots.
    public init(
        serviceAccountFile: String, url: String = FCMOptions.url, trust: TLSContext.Trust? = nil,
        proxy: ProxyURL? = nil
    ) {
        self.serviceAccountFile = serviceAccountFile
        push = PushClientOptions(url: url, trust: trust ?? .system)
        push.proxy = proxy
        push.idleTimeout = Self.idleTimeout
        // FCM does not limit changes of a connection's access token.
        push.tokenChangeInterval = .zero
    }
}
