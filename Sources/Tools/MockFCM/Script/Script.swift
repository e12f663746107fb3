public import MockKit
public import TimeCore

extension MockFCM {
    /// How the mock behaves, beyond checking what it is sent. The default is a provider on a good day. What connections
    /// do is read and set as if it were the script's own: `script.goAway` is `script.connection.goAway`.
    @dynamicMemberLookup
    public struct Script: Sendable, Equatable {
        /// From the end of a message's request to its answer.
        public var latency = MockLatency.none
        /// The first that matches decides. For messages that pass the checks.
        public var rules: [MessageRule] = []
        /// The first that matches decides. For requests for access tokens that pass the checks.
        public var tokenRules: [TokenRule] = []
        /// The access tokens that are given out.
        public var accessTokens = AccessTokenScript()
        /// The project's quota.
        public var quota = Quota()
        /// What one device may be sent.
        public var devices = DeviceLimits()
        /// Which registration tokens cannot be one.
        public var malformedTokens = MalformedTokens()
        /// Projects that exist and for which the account may not send; any other than its own does not exist.
        public var deniedProjects: Set<String> = []
        /// True: error replies are HEADERS without a body.
        public var omitsErrorBodies = false
        /// What connections do.
        public var connection = ConnectionScript()

        public init() {}

        /// What connections do.
        public subscript<Value>(dynamicMember path: WritableKeyPath<ConnectionScript, Value>) -> Value {
            get { connection[keyPath: path] }
            set { connection[keyPath: path] = newValue }
        }
    }

    /// The access tokens that are given out.
    public struct AccessTokenScript: Sendable, Equatable {
        /// From the end of a request for one to its answer.
        public var latency = MockLatency.none
        /// How long one is good, as its answer says it, in whole seconds.
        public var lifetime = TimeInterval.seconds(3_599)
        /// How long it is good in truth; nil means as long as the answer says.
        public var validity: TimeInterval?

        public init() {}
    }

    /// The project's quota: a bucket that is refilled whole at each minute's end.
    public struct Quota: Sendable, Equatable {
        /// Requests to send, whatever becomes of them.
        public var messagesPerMinute = 600_000
        /// Whether a refusal says when the bucket is full again.
        public var sendsRetryAfter = true
        /// Whether it does so with a date.
        public var sendsDate = false

        public init() {}
    }

    /// What one device may be sent.
    public struct DeviceLimits: Sendable, Equatable {
        /// Messages of any kind.
        public var messagesPerMinute = 240
        /// Messages with a `collapse_key` at once.
        public var collapsibleBurst = 20
        /// So long it takes until one more may come.
        public var collapsibleInterval = TimeInterval.seconds(180)
        /// Different keys; a further one is counted.
        public var collapseKeys = 4

        public init() {}
    }

    /// Which registration tokens are answered `INVALID_ARGUMENT`. One with a character that none has is, in any case.
    public struct MalformedTokens: Sendable, Equatable {
        /// Shorter ones, in bytes.
        public var minimumLength = 32
        /// Those that begin so.
        public var prefixes: Set<String> = []

        public init() {}
    }
}
