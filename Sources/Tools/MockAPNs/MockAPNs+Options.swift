public import MockKit

extension MockAPNs {
    /// The options of the mock. Members of `server` are available directly: `options.port` is `options.server.port`.
    @dynamicMemberLookup
    public struct Options: Sendable {
        /// The port, the directory, the ledger and the HTTP/2 settings.
        public var server: ServerOptions
        /// The port for channel management; 0 takes a free one.
        public var channelsPort: UInt16 = 0
        /// True if payloads are checked beyond their length. The event is always read.
        public var checksPayload = true

        /// The identifier of the first key: ten characters, as Apple's.
        public var keyID = "FANFAREKEY"
        /// The identifier of the second key: ten characters.
        public var secondKeyID = "FANFAREKY2"
        /// The identifier of the team: ten characters.
        public var teamID = "FANFARETM1"
        /// The bundle identifier of the only app whose topics are accepted.
        public var bundleID = "com.example.fanfare"

        /// - Parameter directory: The directory of certificates, keys and settings. Missing files are created.
        public init(directory: String) {
            server = ServerOptions(directory: directory)
        }

        /// The options that every mock server has.
        public subscript<Value>(dynamicMember path: WritableKeyPath<ServerOptions, Value>) -> Value {
            get { server[keyPath: path] }
            set { server[keyPath: path] = newValue }
        }
    }
}
