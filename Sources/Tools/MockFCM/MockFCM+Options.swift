public import MockKit

extension MockFCM {
    /// The options of the mock. Members of `server` are available directly: `options.port` is `options.server.port`.
    @dynamicMemberLookup
    public struct Options: Sendable {
        /// The port, the directory, the ledger and the HTTP/2 settings. Like Google's front ends, a connection allows
        /// 100 streams at a time.
        public var server: ServerOptions
        /// The only Firebase project whose messages are accepted.
        public var projectID = "fanfare-mock"
        /// The address of the service account.
        public var clientEmail: String { "sender@\(projectID).iam.gserviceaccount.com" }

        /// - Parameter directory: The directory of certificates, keys and settings. Missing files are created.
        public init(directory: String) {
            server = ServerOptions(directory: directory)
            server.maxConcurrentStreams = 100
        }

        /// The options that every mock server has.
        public subscript<Value>(dynamicMember path: WritableKeyPath<ServerOptions, Value>) -> Value {
            get { server[keyPath: path] }
            set { server[keyPath: path] = newValue }
        }
    }
}
