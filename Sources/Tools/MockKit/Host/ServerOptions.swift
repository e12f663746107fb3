import Glibc
public import TimeCore

/// How a mock's server is set up. Sizes are in bytes.
public struct ServerOptions: Sendable {
    /// What is kept of requests.
    public enum LedgerDetail: Sendable {
        /// Every request is kept: some 500 bytes each, and bodies that differ.
        case full
        case counts
    }

    /// An address in numbers.
    public var host = "127.0.0.1"
    /// 0 takes a free one.
    public var port: UInt16 = 0
    /// Where the control port listens, on 127.0.0.1 only; 0 takes a free one, nil means that there is none.
    public var controlPort: UInt16?
    /// Where certificates, keys and settings are, and are made when missing.
    public var directory: String
    /// What is kept of requests.
    public var ledger = LedgerDetail.full
    /// Requests that the ledger keeps at most; further ones are only counted.
    public var maximumLedgerEntries = 5_000_000
    /// For everything that is drawn by lot.
    public var seed: UInt64 = 1
    /// The wall clock, in milliseconds since 1970. Called on the server's thread.
    public var clock: @Sendable () -> Int64 = ServerOptions.wallClock

    // SETTINGS (RFC 9113, section 6.5.2), and the window of a whole connection.
    /// SETTINGS_MAX_CONCURRENT_STREAMS.
    public var maxConcurrentStreams: UInt32 = 1_000
    /// SETTINGS_INITIAL_WINDOW_SIZE.
    public var initialWindowSize: UInt32 = 65_535
    /// SETTINGS_MAX_FRAME_SIZE.
    public var maxFrameSize: UInt32 = 16_384
    /// SETTINGS_HEADER_TABLE_SIZE.
    public var headerTableSize: UInt32 = 4_096
    /// The window of the whole connection.
    public var connectionWindowSize: UInt32 = 16 << 20

    /// Connections open at a time, at most; further ones are turned away.
    public var maximumConnections = 1_024
    /// How long a TLS handshake may take.
    public var handshakeTimeout = TimeInterval.seconds(10)

    public init(directory: String) {
        self.directory = directory
    }

    /// The system's, in milliseconds since 1970.
    public static let wallClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
