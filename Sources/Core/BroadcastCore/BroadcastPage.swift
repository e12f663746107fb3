/// A page of devices as the broadcast takes it: who is addressed, and where each token lies.
public struct BroadcastPage: Sendable {
    struct Device: BitwiseCopyable {
        /// The device's index in its page of the roster.
        let index: UInt16
        let tokenLength: UInt16
        let tokenStart: UInt32
    }

    /// The page's number in the roster.
    public let number: Int
    let devices: [Device]
    let bytes: [UInt8]
    /// Devices whose token cannot be read.
    let invalid: Int

    /// In bytes. One that is longer cannot be read: no provider gives any.
    public static let longestAddress = 1_024

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
        where token.lowerBound >= 0 && token.upperBound <= bytes.count
            && (1...BroadcastPage.longestAddress).contains(token.count)
        {
            readable.append(
                Device(
                    index: UInt16(clamping: index), tokenLength: UInt16(token.count),
                    tokenStart: UInt32(token.lowerBound)))
        }
        self.devices = readable
        invalid = devices.count - readable.count
    }
}
