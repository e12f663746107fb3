public import TimeCore

/// What a mock's connections do, whatever their requests are. The default is a server on a good day.
///
/// What concerns a connection's settings counts for connections opened afterwards, the rest for requests that come
/// afterwards.
public struct ConnectionScript: Sendable, Equatable {
    /// Nil: no GOAWAY by script.
    public var goAway: GoAway?
    /// How many streams a connection may have open.
    public var streamLimit = StreamLimit()
    /// What becomes of attempts to connect.
    public var connections = Admission()
    /// When SETTINGS go out.
    public var settings = SettingsTiming.atOnce
    /// False: PING gets no answer.
    public var answersPings = true
    /// In place of the options' values, for new connections.
    public var initialWindowSize: UInt32?
    /// Likewise.
    public var maxFrameSize: UInt32?
    /// Likewise.
    public var headerTableSize: UInt32?

    public init() {}
    /// GOAWAY (RFC 9113, section 6.8) on each connection that has seen enough streams.
    public struct GoAway: Sendable, Equatable {
        /// Which stream GOAWAY names as the last one.
        public enum LastStream: Sendable, Equatable {
            /// The newest stream: all that came are processed.
            case current
            /// The stream this many before the newest; those after it are not processed.
            case minus(Int)
            /// The announcement of a shutdown: 2^31-1, and all streams go on being processed.
            case maximum
        }

        /// The request of this stream of the connection (from 1) brings it on once it is complete.
        public var afterStreams: Int
        /// Which stream it names as the last one.
        public var lastStream: LastStream
        /// In the debug data, in the provider's form.
        public var reason: String?
        /// A code of HTTP/2 (RFC 9113, section 7); 0 is NO_ERROR.
        public var errorCode: UInt32
        /// How many connections get it; nil means each.
        public var limit: Int?
        /// How long the connection stays when all is answered and the peer has not closed it.
        public var linger: TimeInterval

        public init(
            afterStreams: Int, lastStream: LastStream = .current, reason: String? = nil, errorCode: UInt32 = 0,
            limit: Int? = nil, linger: TimeInterval = .milliseconds(500)
        ) {
            self.afterStreams = afterStreams
            self.lastStream = lastStream
            self.reason = reason
            self.errorCode = errorCode
            self.limit = limit
            self.linger = linger
        }
    }

    /// SETTINGS_MAX_CONCURRENT_STREAMS over a connection's life.
    public struct StreamLimit: Sendable, Equatable {
        /// A limit that comes later.
        public struct Change: Sendable, Equatable {
            /// Announced when this many requests of the connection have been received.
            public var afterPushes: Int
            /// The limit from then on.
            public var limit: UInt32

            public init(afterPushes: Int, limit: UInt32) {
                self.afterPushes = afterPushes
                self.limit = limit
            }
        }

        /// The ordinary limit; nil means the one of the options.
        public var usual: UInt32?
        /// The limit until a request with a valid credential has been answered. Apple documents 1.
        public var beforeFirstValidPush: UInt32?
        /// The limit after a request that was rejected, until one is accepted. 1 has been seen in the field.
        public var afterRejection: UInt32?
        /// In order of `afterPushes`.
        public var changes: [Change] = []

        public init(
            usual: UInt32? = nil, beforeFirstValidPush: UInt32? = nil, afterRejection: UInt32? = nil,
            changes: [Change] = []
        ) {
            self.usual = usual
            self.beforeFirstValidPush = beforeFirstValidPush
            self.afterRejection = afterRejection
            self.changes = changes
        }
    }

    /// What becomes of attempts to connect.
    public struct Admission: Sendable, Equatable {
        /// How an attempt ends.
        public enum Mode: String, Sendable, CaseIterable {
            case accept
            /// Does not listen: the kernel refuses the attempt.
            case refuse
            /// Accepts and resets at once.
            case reset
            /// Accepts TCP and says nothing: the TLS handshake never ends.
            case stallHandshake = "stall_handshake"
        }

        /// How attempts end.
        public var mode: Mode
        /// After this long the mode is `accept` again; nil means until the next script.
        public var duration: TimeInterval?

        public init(_ mode: Mode = .accept, for duration: TimeInterval? = nil) {
            self.mode = mode
            self.duration = duration
        }
    }

    /// When the server's SETTINGS go out. Nothing may go out before them, so a late server is silent until then; it
    /// reads and processes all the same.
    public enum SettingsTiming: Sendable, Equatable {
        case atOnce
        case after(TimeInterval)
        case never
    }
}
