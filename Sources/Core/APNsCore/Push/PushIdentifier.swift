public import LiveActivity

/// The `apns-id` of a push: the first twelve bytes of its broadcast's UUID and the device's slot number, big-endian,
/// as lower-case UUID text. Who knows broadcast and slot can name the push; nothing has to be stored.
public struct PushIdentifier: Hashable, Sendable {
    /// The broadcast's, with four bytes of zero for the slot.
    private let withoutSlot: UniqueID

    /// - Parameter broadcast: of which the last four bytes are not used.
    public init(broadcast: UniqueID) {
        withoutSlot = UniqueID(high: broadcast.high, low: broadcast.low & 0xFFFF_FFFF_0000_0000)
    }

    /// The identifier of the push to the device in `slot`.
    public func text(slot: UInt32) -> String {
        UniqueID(high: withoutSlot.high, low: withoutSlot.low | UInt64(slot)).description
    }

    /// The 28 characters that all pushes of the broadcast share; eight hex digits of the slot follow.
    public var prefix: [UInt8] { Array(withoutSlot.description.utf8.dropLast(8)) }
}
