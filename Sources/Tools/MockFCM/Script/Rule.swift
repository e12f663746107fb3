public import MockKit
public import TimeCore

extension MockFCM {
    /// An action of the mock for some of the requests that pass its checks.
    public struct Rule<Fault: Sendable & Equatable>: Sendable, Equatable {
        /// The conditions of the rule.
        public var match: Match
        /// The effect on matching requests.
        public var action: Action
        /// Overrides the script's latency; nil keeps it.
        public var latency: MockLatency?
        /// The number of requests before the rule is used up; nil means any number.
        public var limit: Int?

        /// The effect of a rule on a request.
        public enum Action: Sendable, Equatable {
            /// Accepts the request. Placed before another rule, it makes an exception from that rule.
            case accept
            /// Answers with an error in Google's format.
            case fault(Fault, retryAfter: RetryAfter? = nil)
            /// Answers with an HTML page of this status, like a front end.
            case page(status: Int, retryAfter: RetryAfter? = nil)
            /// Never answers. The stream stays open.
            case silence
            /// Sends RST_STREAM with this code (RFC 9113, section 7); 7 is REFUSED_STREAM.
            case reset(code: UInt32)
            /// Closes the connection without this answer: with a TCP reset, or after the pending output.
            case close(abruptly: Bool)
        }

        public init(_ match: Match = .all, _ action: Action, latency: MockLatency? = nil, limit: Int? = nil) {
            self.match = match
            self.action = action
            self.latency = latency
            self.limit = limit
        }
    }

    /// The conditions of a rule. All must hold. Only messages have registration tokens and events.
    public struct Match: Sendable, Equatable {
        /// The registration tokens; nil matches all.
        public var tokens: Set<String>?
        /// The first characters of the registration token.
        public var tokenPrefix: String?
        /// The last characters of the registration token.
        public var tokenSuffix: String?
        /// The message's event; nil matches all.
        public var event: Event?
        /// The time after the script was set from which the rule applies.
        public var after: TimeInterval?
        /// The time after the script was set at which the rule ends.
        public var until: TimeInterval?
        /// The number of matching requests to pass over first.
        public var skip = 0
        /// Takes only each nth of the remaining requests.
        public var every: Int?
        /// The share (0 to 1) of the remaining requests, drawn from the seed.
        public var share: Double?
        /// Considers only each nth connection since the mock's start, beginning with the first. Applied before `skip`.
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

        /// Matches every request.
        public static let all = Match()
    }

    /// An error as the answer to a message.
    public struct MessageFault: Sendable, Equatable {
        /// The subject of an error, besides its code.
        public enum Subject: String, Sendable, CaseIterable {
            /// The registration token.
            case token
            /// Another part of the message.
            case message
            /// The project's quota.
            case project
            /// The device's quota.
            case device
        }

        /// The code of the error.
        public var code: ErrorCode
        /// The subject of `invalidArgument` or `quotaExceeded`; nil means the token or the project.
        public var subject: Subject?
        /// True if the answer has `details`.
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
