import TimeCore

/// A page of devices as the broadcast takes it: who is addressed, and where each token lies.
public struct BroadcastPage: Sendable {
    public struct Device: Sendable {
        /// The device's index in its page of the roster.
        public let index: UInt16
        let tokenStart: UInt32
        let tokenLength: UInt8
        var attempts: UInt8 = 0
        /// No retry begins later; set when the device is first pushed.
        var retryUntil = MonotonicTime(nanoseconds: 0)
    }

    public let number: Int
    var devices: [Device]
    let bytes: [UInt8]
    /// How many devices have no final outcome yet.
    var open: Int
    /// The next device that has not been sent anything.
    var next = 0
    var result: PageResult

    /// How many devices the page addresses.
    public var count: Int { devices.count }

    /// The position of the next device that has not been sent anything; nil when there is none left.
    mutating func takeNext() -> Int? {
        guard next < devices.count else { return nil }
        defer { next += 1 }
        return next
    }

    /// - Parameters:
    ///   - bytes: what the token ranges refer to.
    public init(number: Int, devices: [(index: Int, token: Range<Int>)], bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
        self.devices = []
        self.devices.reserveCapacity(devices.count)
        for (index, token) in devices
        where token.lowerBound >= 0 && token.upperBound <= bytes.count && (1...200).contains(token.count) {
            self.devices.append(
                Device(
                    index: UInt16(clamping: index), tokenStart: UInt32(token.lowerBound),
                    tokenLength: UInt8(token.count)))
        }
        open = self.devices.count
        result = PageResult(number: number)
        result.invalid = devices.count - self.devices.count
    }
}

/// What became of a page, once all its devices have a final outcome.
public struct PageResult: Equatable, Sendable {
    public let number: Int
    /// Indexes of devices by outcome.
    public internal(set) var accepted: [UInt16] = []
    public internal(set) var failed: [UInt16] = []
    /// The push may have been delivered; nobody knows.
    public internal(set) var unknown: [UInt16] = []
    /// Devices whose token the provider called dead, and the epoch milliseconds since when (nil: now).
    public internal(set) var dead: [DeadToken] = []
    /// Devices whose token could not be read.
    public internal(set) var invalid = 0

    public struct DeadToken: Equatable, Sendable {
        public let index: UInt16
        public let since: UInt64?
        /// The token that was pushed to: another one may have come meanwhile.
        public let token: [UInt8]
    }
}
