import Glibc
public import TimeCore

/// The options of a mock's server. Sizes are in bytes.
public struct ServerOptions: Sendable {
    /// The detail in which requests are recorded.
    public enum LedgerDetail: Sendable {
        /// Records every request: about 500 bytes each, plus each distinct body.
        case full
        case counts
    }

    /// The numeric address to listen on.
    public var host = "127.0.0.1"
    /// The TCP port; 0 takes a free one.
    public var port: UInt16 = 0
    /// The control port on 127.0.0.1; 0 takes a free one, nil disables it.
    public var controlPort: UInt16?
    /// The directory of certificates, keys and settings. Missing files are created.
    public var directory: String
    /// The detail in which requests are recorded.
    public var ledger = LedgerDetail.full
    /// The maximum number of entries, for processed and for unprocessed requests each. Further ones are only counted.
    public var maximumLedgerEntries = 5_000_000
    /// The seed of all random draws.
    public var seed: UInt64 = 1
    /// The wall clock, in milliseconds since 1970. Called on the server's thread.
    public var clock: @Sendable () -> Int64 = ServerOptions.wallClock

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

    /// The maximum number of open connections. Further ones are closed at once.
    public var maximumConnections = 1_024
    /// The time limit of a TLS handshake.
    public var handshakeTimeout = TimeInterval.seconds(10)

    public init(directory: String) {
        self.directory = directory
    }

    /// The system's wall clock, in milliseconds since 1970.
    public static let wallClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
