public import MockKit
public import TimeCore

/// How the mock behaves, beyond checking what it is sent. The default is a provider on a good day.
///
/// Parts can be combined. What concerns a connection's settings counts for connections opened afterwards, the rest
/// for pushes that come afterwards. What connections do is read and set as if it were the script's own:
/// `script.goAway` is `script.connection.goAway`.
@dynamicMemberLookup
public struct MockScript: Sendable, Equatable {
    /// From the end of a request to its answer.
    public var latency = MockLatency.none
    /// The first that matches decides. For pushes that pass the checks.
    public var rules: [MockRule] = []
    /// What connections do.
    public var connection = ConnectionScript()
    /// True: error replies are HEADERS without a body.
    public var omitsErrorBodies = false
    /// How provider tokens are checked.
    public var providerTokens = ProviderTokens()

    /// What the app may do with channels.
    public var channels = Channels()

    public init() {}

    /// What connections do.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ConnectionScript, Value>) -> Value {
        get { connection[keyPath: path] }
        set { connection[keyPath: path] = newValue }
    }

    /// A GOAWAY of the script.
    public typealias GoAway = ConnectionScript.GoAway
    /// How many streams a connection may have open.
    public typealias StreamLimit = ConnectionScript.StreamLimit
    /// What becomes of attempts to connect.
    public typealias Admission = ConnectionScript.Admission

    /// How provider tokens are checked beyond their signature.
    public struct ProviderTokens: Sendable, Equatable {
        /// A token is expired when it was issued longer ago. Apple: 60 minutes.
        public var lifetime = TimeInterval.seconds(3_600)
        /// A token that was issued further ahead of the mock's clock is refused as expired as well.
        public var allowedSkew = TimeInterval.seconds(300)
        /// On one connection a new token is refused (429) before the old one has been used for this long. Apple: 20
        /// minutes. Nil switches it off.
        public var renewalInterval: TimeInterval?

        public init() {}
    }
}
