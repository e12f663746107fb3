public import MockKit
public import TimeCore

extension MockFCM {
    /// What the mock does with some of the requests that it would accept.
    public struct Rule<Fault: Sendable & Equatable>: Sendable, Equatable {
        /// Which requests it is for.
        public var match: Match
        /// What becomes of them.
        public var action: Action
        /// In place of the script's latency.
        public var latency: MockLatency?
        /// How many times the rule acts before it is used up; nil means always.
        public var limit: Int?

        /// What becomes of a request.
        public enum Action: Sendable, Equatable {
            /// Accepts it: with a rule before another, an exception from that one.
            case accept
            /// An error as Google words it.
            case fault(Fault, retryAfter: RetryAfter? = nil)
            /// A page for people with this status, as front ends send it.
            case page(status: Int, retryAfter: RetryAfter? = nil)
            /// Never answers. The stream stays open.
            case silence
            /// RST_STREAM with this code (RFC 9113, section 7); 7 is REFUSED_STREAM.
            case reset(code: UInt32)
            /// Ends the connection without an answer: with a TCP reset, or in order with what was answered before.
            case close(abruptly: Bool)
        }

        public init(_ match: Match = .all, _ action: Action, latency: MockLatency? = nil, limit: Int? = nil) {
            self.match = match
            self.action = action
            self.latency = latency
            self.limit = limit
        }
    }

    /// Which requests a rule is for; all conditions must hold. Those about registration tokens and events hold for
    /// messages alone.
    public struct Match: Sendable, Equatable {
        /// Registration tokens.
        public var tokens: Set<String>?
        /// What the registration token begins with.
        public var tokenPrefix: String?
        /// What it ends with.
        public var tokenSuffix: String?
        /// Only messages that do this.
        public var event: Event?
        /// Only what comes so long after the script came into force, or later.
        public var after: TimeInterval?
        /// Only what comes earlier than this after the script came into force.
        public var until: TimeInterval?
        /// Passes over this many requests that would match otherwise.
        public var skip = 0
        /// Of those that match otherwise, only each nth.
        public var every: Int?
        /// Of those that match otherwise, this share (0 to 1), drawn from the seed.
        public var share: Double?
        /// Only what comes on each nth connection: the first, the one n later and so on, counted from the mock's start.
        public var connectionEvery: Int?

        public init(
            tokens: Set<String>? = nil, tokenPrefix: String? = nil, tokenSuffix: String? = nil, event: Event? = nil,
            after: TimeInterval? = nil, until: TimeInterval? = nil, skip: Int = 0, every: Int? = nil,
            share: Double? = nil, connectionEvery: Int? = nil
        ) {
            self.tokens = tokens
            self.tokenPrefix = tokenPrefix
            self.tokenSuffix = tokenSuffix
            self.event = event
            self.after = after
            self.until = until
            self.skip = skip
            self.every = every
            self.share = share
            self.connectionEvery = connectionEvery
        }

        /// Every request.
        public static let all = Match()
    }

    /// An error that a message is answered with.
    public struct MessageFault: Sendable, Equatable {
        /// What an error is about, beside its code.
        public enum Subject: String, Sendable, CaseIterable {
            /// The registration token.
            case token
            /// Anything else in the message.
            case message
            /// The project's quota.
            case project
            /// The device's quota.
            case device
        }

        /// The error.
        public var code: ErrorCode
        /// For `invalidArgument` and `quotaExceeded`; nil is the token and the project.
        public var subject: Subject?
        /// Whether the answer has `details`.
        public var hasDetails: Bool

        public init(_ code: ErrorCode, about subject: Subject? = nil, hasDetails: Bool = true) {
            self.code = code
            self.subject = subject
            self.hasDetails = hasDetails
        }
    }

    /// A rule for messages.
    public typealias MessageRule = Rule<MessageFault>
    /// A rule for requests for access tokens.
    public typealias TokenRule = Rule<TokenError>
}
