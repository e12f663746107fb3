public import MockKit

/// An action of the mock for some of the requests that pass its checks.
public struct MockRule: Sendable, Equatable {
    /// The conditions of a rule. All must hold.
    public struct Match: Sendable, Equatable {
        /// The device tokens in hexadecimal of any case; nil matches all.
        public var tokens: Set<String>?
        /// The push type; nil matches all.
        public var pushType: MockPushType?
        /// The kind of request; nil matches pushes to devices and to channels.
        public var event: Event?
        /// The number of matching requests to pass over first.
        public var skip: Int
        /// Takes only each nth of the remaining requests.
        public var every: Int?
        /// The share (0 to 1) of the remaining requests, drawn from the seed.
        public var share: Double?
        /// Considers only each nth connection since the mock's start, beginning with the first. Applied before `skip`.
        public var connectionEvery: Int?

        public init(
            tokens: Set<String>? = nil, pushType: MockPushType? = nil, event: Event? = nil, skip: Int = 0,
            every: Int? = nil, share: Double? = nil, connectionEvery: Int? = nil
        ) {
            self.tokens = tokens
            self.pushType = pushType
            self.event = event
            self.skip = skip
            self.every = every
            self.share = share
            self.connectionEvery = connectionEvery
        }

        /// Matches every push.
        public static let all = Match()
    }

    /// The effect of a rule on a request.
    public enum Action: Sendable, Equatable {
        /// Accepts the request. Placed before another rule, it makes an exception from that rule.
        case accept
        /// - Parameters:
        ///   - timestamp: The timestamp of a 410, in milliseconds since 1970.
        ///   - retryAfter: The value of `retry-after`, in seconds.
        case answer(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Int? = nil)
        /// Never answers. The stream stays open.
        case silence
        /// Sends RST_STREAM with this code (RFC 9113, section 7); 7 is REFUSED_STREAM.
        case reset(code: UInt32)
        /// Closes the connection without this answer: with a TCP reset, or after the pending output.
        case close(abruptly: Bool)
    }

    /// The conditions of the rule.
    public var match: Match
    /// The effect on matching requests.
    public var action: Action
    /// Overrides the script's latency; nil keeps it.
    public var latency: MockLatency?
    /// The number of requests before the rule is used up; nil means any number.
    public var limit: Int?

    public init(_ match: Match = .all, _ action: Action, latency: MockLatency? = nil, limit: Int? = nil) {
        self.match = match
        self.action = action
        self.latency = latency
        self.limit = limit
    }
}
