public import Encodings
public import PushClient
public import TLS
public import TimeCore

/// How a gateway sends for one Firebase project.
public struct FCMOptions: Sendable {
    /// The path of the service account's file, as Google gives it out.
    public var serviceAccountFile: String
    /// Where messages are sent, which roots are trusted, the proxy, connections, deadlines.
    public var push: PushClientOptions
    /// Where access tokens are given out, an https URL; nil for what the service account's file says. The roots and the
    /// proxy are those of `push`.
    public var tokenURL: String?
    /// How messages are made, and how many may be sent.
    public var messages = FCMSender.Options()
    /// From the first message on, and after a minute without any, the rate grows from a tenth to the whole in so long.
    public var rampUp = TimeInterval.seconds(60)

    /// Whether the same project is meant, and reached in the same way.
    public func reachesTheSame(as other: FCMOptions) -> Bool {
        serviceAccountFile == other.serviceAccountFile && tokenURL == other.tokenURL
            && push.reachesTheSame(as: other.push)
    }

    /// What tells the service account from another one. Reads and checks its file.
    public func credentialMark() throws(PushConfigurationError) -> CredentialMark {
        try ServiceAccountFile.mark(ofFile: serviceAccountFile)
    }

    /// FCM itself (Google: "Authorize send requests").
    public static let url = "https://fcm.googleapis.com"

    /// Google closes connections that are idle for so long, and may forget to say so.
    private static let idleTimeout = TimeInterval.seconds(240)

    /// - Parameter trust: nil for the system's roots.
    public init(
        serviceAccountFile: String, url: String = FCMOptions.url, trust: TLSContext.Trust? = nil,
        proxy: ProxyURL? = nil
    ) {
        self.serviceAccountFile = serviceAccountFile
        push = PushClientOptions(url: url, trust: trust ?? .system)
        push.proxy = proxy
        push.idleTimeout = Self.idleTimeout
        // FCM does not mind how often a connection's access token changes.
        push.tokenChangeInterval = .zero
    }
}
