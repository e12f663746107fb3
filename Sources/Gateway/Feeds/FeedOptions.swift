public import FeedCore
import GatewayStore
public import TimeCore

/// A feed that a gateway is told of.
public struct FeedOptions: Sendable {
    /// Its place in the configuration's list: its name in metrics and the log.
    public var number: Int
    /// Whose topics it speaks of.
    public var tenantID: String
    /// `https://`, or `http://` on this machine. Its query may be a secret.
    public var url: String
    /// What each request has beside the gateway's own fields.
    public var headers = FeedHeaders()
    /// From the beginning of a poll to that of the next one.
    public var interval = TimeInterval.seconds(30)
    /// From the request to the end of the answer.
    public var timeout = TimeInterval.seconds(10)
    /// A longer answer is refused.
    public var maximumBytes = 2 * 1024 * 1024
    /// Certificates (PEM) to trust in place of the system's.
    public var caFile: String?
    /// A gateway that was silent for so long has its feeds taken over.
    public var lease = TimeInterval.seconds(15)
    /// How often a gateway looks whether a feed is its to poll: between half of it and the whole. A third of `lease` at
    /// most.
    public var look = TimeInterval.seconds(5)

    public init(number: Int, tenantID: String, url: String) {
        self.number = number
        self.tenantID = tenantID
        self.url = url
    }

    /// Host and port, as the URL has them: all of it that may be shown.
    public var host: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { $0 != "/" && $0 != "?" })
    }
}
