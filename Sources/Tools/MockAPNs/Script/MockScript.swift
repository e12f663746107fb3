public import MockKit
public import TimeCore

/// The behavior of the mock beyond its checks. The default is a healthy provider.
///
/// Stream limits and SETTINGS apply to connections opened afterwards; everything else applies at once. Members of
/// `connection` are available directly: `script.goAway` is `script.connection.goAway`.
@dynamicMemberLookup
public struct MockScript: Sendable, Equatable {
    /// The time from the end of a request to its answer.
    public var latency = MockLatency.none
    /// The rules for requests that pass the checks. The first match decides.
    public var rules: [MockRule] = []
    /// The behavior of connections.
    public var connection = ConnectionScript()
    /// True if error responses have no body.
    public var omitsErrorBodies = false
    /// The checks of provider tokens.
    public var providerTokens = ProviderTokens()

    /// The app's permissions and limits for channels.
    public var channels = Channels()

    public init() {}

    /// The behavior of connections.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ConnectionScript, Value>) -> Value {
        get { connection[keyPath: path] }
        set { connection[keyPath: path] = newValue }
    }

    /// A GOAWAY of the script.
    public typealias GoAway = ConnectionScript.GoAway
    /// The number of streams that a connection may open.
    public typealias StreamLimit = ConnectionScript.StreamLimit
    /// The treatment of connection attempts.
    public typealias Admission = ConnectionScript.Admission

    /// The checks of provider tokens beyond their signature.
    public struct ProviderTokens: Sendable, Equatable {
        /// The age at which a token expires. Apple documents 60 minutes.
        public var lifetime = TimeInterval.seconds(3_600)
        /// The tolerated lead of a token over the mock's clock. Beyond it, the token is rejected as expired.
        public var allowedSkew = TimeInterval.seconds(300)
        /// The time that a connection must use a token before it may change it. An earlier change gets 429. Apple
        /// documents 20 minutes. Nil disables the check.
        public var renewalInterval: TimeInterval?

        public init() {}
    }
}
