/// A page of a broadcast's devices with the positions of their tokens.
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
    /// The number of devices without a readable token.
    let invalid: Int

    /// The maximum length of an address in bytes. Providers issue shorter ones.
    public static let longestAddress = 1_024

    /// The number of devices with a readable token.
    public var count: Int { devices.count }

    /// - Parameters:
    ///   - bytes: The bytes that the token ranges refer to.
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
