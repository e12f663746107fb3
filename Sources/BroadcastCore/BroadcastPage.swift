/// A page of devices as the broadcast takes it: who is addressed, and where each token lies.
public struct BroadcastPage: Sendable {
    struct Device: BitwiseCopyable {
        /// The device's index in its page of the roster.
        let index: UInt16
        let tokenLength: UInt8
        let tokenStart: UInt32
    }

    public let number: Int
    let devices: [Device]
    let bytes: [UInt8]
    /// Devices whose token cannot be read.
    let invalid: Int

    /// How many devices the page addresses.
    public var count: Int { devices.count }

    /// - Parameters:
    ///   - bytes: what the token ranges refer to.
    public init(number: Int, devices: [(index: Int, token: Range<Int>)], bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
        var readable: [Device] = []
        readable.reserveCapacity(devices.count)
        for (index, token) in devices
        where token.lowerBound >= 0 && token.upperBound <= bytes.count && (1...200).contains(token.count) {
            readable.append(
                Device(
                    index: UInt16(clamping: index), tokenLength: UInt8(token.count),
                    tokenStart: UInt32(token.lowerBound)))
        }
        self.devices = readable
        invalid = devices.count - readable.count
    }
}

/// What became of a page, once all its devices have a final outcome.
public struct PageResult: Equatable, Sendable {
    public let number: Int
    /// Indexes of devices by outcome.
    public internal(set) var accepted: [UInt16] = []
    public internal(set) var failed: [UInt16] = []
    /// Why: for each of `failed` the place of its reason in `reasons`.
    public internal(set) var failedFor: [UInt8] = []
    /// Each reason once.
    public internal(set) var reasons: [String] = []
    /// The push may have been delivered; nobody knows.
    public internal(set) var unknown: [UInt16] = []
    /// Devices whose token the provider called dead, and the epoch milliseconds since when (nil: now).
    public internal(set) var dead: [DeadToken] = []
    /// The page's part of the broadcast's books.
    public internal(set) var tally = BroadcastTally()
    /// How many devices are left to another gateway.
    public internal(set) var left = 0

    public struct DeadToken: Equatable, Sendable {
        public let index: UInt16
        public let since: UInt64?
        /// The token that was pushed to: another one may have come meanwhile.
        public let token: [UInt8]
    }
}
