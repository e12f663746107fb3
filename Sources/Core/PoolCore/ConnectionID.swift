/// Identifies one connection of a pool. Slots are reused but generations are not, so a late event of a closed
/// connection reaches no other.
public struct ConnectionID: Hashable, Sendable {
    /// Below `PoolConfiguration.slotCount`, so the driver can use it as an index.
    public let slot: Int
    /// Distinguishes the connections of a slot.
    public let generation: UInt32

    public init(slot: Int, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }
}
