public import MockKit

extension MockAPNs {
    /// How the mock is set up. What any server has is read and set as if it were its own: `options.port` is
    /// `options.server.port`.
    @dynamicMemberLookup
    public struct Options: Sendable {
        /// The port, the directory, the ledger, HTTP/2's settings.
        public var server: ServerOptions
        /// The port at which channels are managed; 0 takes a free one.
        public var channelsPort: UInt16 = 0
        /// Whether payloads are checked beyond their length. The event is read in any case.
        public var checksPayload = true

        /// Ten characters each, as Apple's.
        public var keyID = "FANFAREKEY"
        /// The second key's.
        public var secondKeyID = "FANFAREKY2"
        /// Likewise the team's.
        public var teamID = "FANFARETM1"
        /// The only app whose topics are taken.
        public var bundleID = "com.example.fanfare"

        /// - Parameter directory: where certificates, keys and settings are, and are made when missing.
        public init(directory: String) {
            server = ServerOptions(directory: directory)
        }

        /// What any server has.
        public subscript<Value>(dynamicMember path: WritableKeyPath<ServerOptions, Value>) -> Value {
            get { server[keyPath: path] }
            set { server[keyPath: path] = newValue }
        }
    }
}
