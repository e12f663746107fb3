/// A push that is given to a provider: where it goes, and the two numbers that come back with its outcome. Plain, so
/// that many are given in one call; the token's bytes stay where they are until that call has returned.
public struct PendingPush: BitwiseCopyable {
    /// The giver's own number.
    public let tag: UInt64
    /// The device's number, which names the push among its broadcast's.
    public let slot: UInt32
    private let tokenLength: UInt16
    private let tokenStart: UnsafeRawPointer?

    /// - Parameter token: it is not copied. One that is longer than 65,534 bytes is as good as one of 65,535: no
    ///   provider takes either.
    public init(token: UnsafeRawBufferPointer, slot: UInt32, tag: UInt64) {
        self.tag = tag
        self.slot = slot
        tokenLength = UInt16(clamping: token.count)
        tokenStart = token.baseAddress
    }

    /// The token's bytes, where `init` was given them.
    public var token: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: tokenStart, count: Int(tokenLength))
    }
}
