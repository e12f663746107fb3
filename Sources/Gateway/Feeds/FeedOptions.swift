public import FeedCore
import GatewayStore
public import TimeCore

/// The settings of a feed.
public struct FeedOptions: Sendable {
    /// The place in the configuration's list, which names the feed in metrics and the log.
    public var number: Int
    /// The tenant of its topics.
    public var tenantID: String
    /// The URL with `https://`, or `http://` on this machine. Its query may be a secret.
    public var url: String
    /// The fields of each request besides the gateway's own.
    public var headers = FeedHeaders()
    /// The time from the beginning of a poll to that of the next one.
    public var interval = TimeInterval.seconds(30)
    /// The time from the request to the end of the answer.
    public var timeout = TimeInterval.seconds(10)
    /// The maximum number of bytes of an answer.
    public var maximumBytes = 2 * 1024 * 1024
    /// The certificates (PEM) to trust in place of the system's.
    public var caFile: String?
    /// The time after which a silent gateway's feeds are taken over.
    public var lease = TimeInterval.seconds(15)
    /// The period of tries to take the lease, reduced at random by up to half; at most a third of `lease`.
    public var look = TimeInterval.seconds(5)

    public init(number: Int, tenantID: String, url: String) {
        self.number = number
        self.tenantID = tenantID
        self.url = url
    }

    /// The host and port of the URL, which are all of it that may be shown.
    public var host: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { $0 != "/" && $0 != "?" })
    }
}
