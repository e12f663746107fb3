public import MockKit

extension MockFCM {
    /// How the mock is set up. What any server has is read and set as if it were its own: `options.port` is
    /// `options.server.port`.
    @dynamicMemberLookup
    public struct Options: Sendable {
        /// The port, the directory, the ledger, HTTP/2's settings. 100 streams at a time, as Google's front ends have
        /// it.
        public var server: ServerOptions
        /// The only Firebase project whose messages are taken.
        public var projectID = "fanfare-mock"
        /// The service account's address.
        public var clientEmail: String { "sender@\(projectID).iam.gserviceaccount.com" }

        /// - Parameter directory: where certificates, keys and settings are, and are made when missing.
        public init(directory: String) {
            server = ServerOptions(directory: directory)
            server.maxConcurrentStreams = 100
        }

        /// What any server has.
        public subscript<Value>(dynamicMember path: WritableKeyPath<ServerOptions, Value>) -> Value {
            get { server[keyPath: path] }
            set { server[keyPath: path] = newValue }
        }
    }
}
