/// A push for a provider: its address, and the numbers that come back with its outcome. A trivial type, because many
/// are passed in one call. The token's memory must stay valid until that call returns.
public struct PendingPush: BitwiseCopyable {
    /// The sender's own number.
    public let tag: UInt64
    /// The device's number, which names the push among its broadcast's.
    public let slot: UInt32
    private let tokenLength: UInt16
    private let tokenStart: UnsafeRawPointer?

    /// - Parameter token: Not copied. A token longer than 65,535 bytes is truncated, and no provider accepts it.
    public init(token: UnsafeRawBufferPointer, slot: UInt32, tag: UInt64) {
        self.tag = tag
        self.slot = slot
        tokenLength = UInt16(clamping: token.count)
        tokenStart = token.baseAddress
    }

    /// The token's bytes in the memory given to `init`.
    public var token: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: tokenStart, count: Int(tokenLength))
    }
}
