public import MockKit
public import TimeCore

extension MockFCM {
    /// The behavior of the mock beyond its checks. The default is a healthy provider. Members of `connection` are
    /// available directly: `script.goAway` is `script.connection.goAway`.
    @dynamicMemberLookup
    public struct Script: Sendable, Equatable {
        /// The time from the end of a message's request to its answer.
        public var latency = MockLatency.none
        /// The rules for messages that pass the checks. The first match decides.
        public var rules: [MessageRule] = []
        /// The rules for requests for access tokens that pass the checks. The first match decides.
        public var tokenRules: [TokenRule] = []
        /// The properties of issued access tokens.
        public var accessTokens = AccessTokenScript()
        /// The project's quota.
        public var quota = Quota()
        /// The rate limits of each device.
        public var devices = DeviceLimits()
        /// The registration tokens that are rejected as malformed.
        public var malformedTokens = MalformedTokens()
        /// Existing projects for which the account may not send. Projects outside this set, except the mock's, do not
        /// exist.
        public var deniedProjects: Set<String> = []
        /// True if error responses have no body.
        public var omitsErrorBodies = false
        /// The behavior of connections.
        public var connection = ConnectionScript()

        public init() {}

        /// The behavior of connections.
        public subscript<Value>(dynamicMember path: WritableKeyPath<ConnectionScript, Value>) -> Value {
            get { connection[keyPath: path] }
            set { connection[keyPath: path] = newValue }
        }
    }

    /// The properties of issued access tokens.
    public struct AccessTokenScript: Sendable, Equatable {
        /// The time from the end of a token request to its answer.
        public var latency = MockLatency.none
        /// The lifetime that the answer states, in whole seconds.
        public var lifetime = TimeInterval.seconds(3_599)
        /// The actual lifetime; nil means the stated one.
        public var validity: TimeInterval?

        public init() {}
    }

    /// The project's quota: a bucket that is refilled completely at the end of each minute.
    public struct Quota: Sendable, Equatable {
        /// The limit of authorized send requests, including rejected ones.
        public var messagesPerMinute = 600_000
        /// True if a rejection states the time until the refill.
        public var sendsRetryAfter = true
        /// True if a rejection states that time as a date.
        public var sendsDate = false

        public init() {}
    }

    /// The rate limits of each device.
    public struct DeviceLimits: Sendable, Equatable {
        /// The limit of messages of any kind.
        public var messagesPerMinute = 240
        /// The number of messages with a `collapse_key` that may arrive at once.
        public var collapsibleBurst = 20
        /// The time in which the burst regains one message.
        public var collapsibleInterval = TimeInterval.seconds(180)
        /// The number of distinct collapse keys. Further ones are accepted but counted.
        public var collapseKeys = 4

        public init() {}
    }

    /// Registration tokens that are rejected with `INVALID_ARGUMENT`. Tokens with invalid characters always are.
    public struct MalformedTokens: Sendable, Equatable {
        /// The minimum length, in bytes.
        public var minimumLength = 32
        /// The prefixes of malformed tokens.
        public var prefixes: Set<String> = []

        public init() {}
    }
}
