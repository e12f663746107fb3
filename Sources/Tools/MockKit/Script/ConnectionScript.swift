public import TimeCore

/// The behavior of a mock's connections, independent of their requests. The default is a healthy server.
///
/// Stream limits and SETTINGS apply to connections opened afterwards; everything else applies at once.
public struct ConnectionScript: Sendable, Equatable {
    /// The GOAWAY to send; nil for none.
    public var goAway: GoAway?
    /// The number of streams that a connection may open.
    public var streamLimit = StreamLimit()
    /// The treatment of connection attempts.
    public var connections = Admission()
    /// The time at which SETTINGS are sent.
    public var settings = SettingsTiming.atOnce
    /// False if the server ignores PING.
    public var answersPings = true
    /// Overrides SETTINGS_INITIAL_WINDOW_SIZE of the options; nil keeps it.
    public var initialWindowSize: UInt32?
    /// Overrides SETTINGS_MAX_FRAME_SIZE of the options; nil keeps it.
    public var maxFrameSize: UInt32?
    /// Overrides SETTINGS_HEADER_TABLE_SIZE of the options; nil keeps it.
    public var headerTableSize: UInt32?

    public init() {}
    /// A GOAWAY (RFC 9113, section 6.8) on each connection with enough streams.
    public struct GoAway: Sendable, Equatable {
        /// The stream that GOAWAY names as the last one.
        public enum LastStream: Sendable, Equatable {
            /// The newest stream, so all received streams are processed.
            case current
            /// The stream this many before the newest. Later streams are not processed.
            case minus(Int)
            /// 2^31-1, the announcement of a shutdown. All streams are still processed.
            case maximum
        }

        /// The stream whose complete request triggers the GOAWAY, counted from 1 on each connection since the script
        /// was set.
        public var afterStreams: Int
        /// The stream that GOAWAY names as the last one.
        public var lastStream: LastStream
        /// The reason in the debug data, in the provider's format.
        public var reason: String?
        /// An HTTP/2 error code (RFC 9113, section 7); 0 is NO_ERROR.
        public var errorCode: UInt32
        /// The number of connections that get a GOAWAY; nil means all.
        public var limit: Int?
        /// The time before the server closes a connection whose streams are all answered.
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

    /// The SETTINGS_MAX_CONCURRENT_STREAMS of a connection over its life.
    public struct StreamLimit: Sendable, Equatable {
        /// A change of the usual limit.
        public struct Change: Sendable, Equatable {
            /// The number of received requests of the connection at which the change is announced.
            public var afterPushes: Int
            /// The new limit.
            public var limit: UInt32

            public init(afterPushes: Int, limit: UInt32) {
                self.afterPushes = afterPushes
                self.limit = limit
            }
        }

        /// The usual limit; nil keeps the one of the options.
        public var usual: UInt32?
        /// The limit until a request with a valid credential has been answered. Apple documents 1.
        public var beforeFirstValidPush: UInt32?
        /// The limit after a rejected request, until one is accepted. APNs has been observed to use 1.
        public var afterRejection: UInt32?
        /// Later changes of the usual limit, in order of `afterPushes`.
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

    /// The treatment of connection attempts.
    public struct Admission: Sendable, Equatable {
        /// The outcome of a connection attempt.
        public enum Mode: String, Sendable, CaseIterable {
            case accept
            /// Stops listening, so the kernel refuses the attempt.
            case refuse
            /// Accepts and resets the TCP connection at once.
            case reset
            /// Accepts TCP and sends nothing, so the TLS handshake never ends.
            case stallHandshake = "stall_handshake"
        }

        /// The outcome of connection attempts.
        public var mode: Mode
        /// The time after which the mode returns to `accept`; nil means until the next script.
        public var duration: TimeInterval?

        public init(_ mode: Mode = .accept, for duration: TimeInterval? = nil) {
            self.mode = mode
            self.duration = duration
        }
    }

    /// The time at which the server sends SETTINGS. Because no frame may precede them, a late server is silent until
    /// then. It still reads and processes requests.
    public enum SettingsTiming: Sendable, Equatable {
        case atOnce
        case after(TimeInterval)
        case never
    }
}
