public import MockKit

/// What the mock does with some of the pushes that it would accept.
public struct MockRule: Sendable, Equatable {
    /// Which pushes it is for; all conditions must hold.
    public struct Match: Sendable, Equatable {
        /// Device tokens in hexadecimal, any case.
        public var tokens: Set<String>?
        /// Only pushes of this type.
        public var pushType: MockPushType?
        /// Only requests of this kind. Without it: pushes, to devices and to channels.
        public var event: Event?
        /// Passes over this many pushes that would match otherwise.
        public var skip: Int
        /// Of those that match otherwise, only each nth.
        public var every: Int?
        /// Of those that match otherwise, this share (0 to 1), drawn from the seed.
        public var share: Double?
        /// Only what comes on each nth connection: the first, the one n later and so on, counted from the mock's start.
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

        /// Every push.
        public static let all = Match()
    }

    /// What becomes of a push.
    public enum Action: Sendable, Equatable {
        /// Accepts it: with a rule before another, an exception from that one.
        case accept
        /// - Parameters:
        ///   - timestamp: for 410, in milliseconds since 1970.
        ///   - retryAfter: in seconds.
        case answer(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Int? = nil)
        /// Never answers. The stream stays open.
        case silence
        /// RST_STREAM with this code (RFC 9113, section 7); 7 is REFUSED_STREAM.
        case reset(code: UInt32)
        /// Ends the connection without an answer: with a TCP reset, or in order with what was answered before.
        case close(abruptly: Bool)
    }

    /// Which pushes it is for.
    public var match: Match
    /// What becomes of them.
    public var action: Action
    /// In place of the script's latency.
    public var latency: MockLatency?
    /// How many times the rule acts before it is used up; nil means always.
    public var limit: Int?

    public init(_ match: Match = .all, _ action: Action, latency: MockLatency? = nil, limit: Int? = nil) {
        self.match = match
        self.action = action
        self.latency = latency
        self.limit = limit
    }
}
