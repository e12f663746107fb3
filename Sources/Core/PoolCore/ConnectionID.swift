/// Names one connection of a pool. Slots are reused, generations are not, so that a late event of a connection that is
/// gone reaches no other.
public struct ConnectionID: Hashable, Sendable {
    /// Below `PoolConfiguration.slotCount`: usable as an index by whoever drives the pool.
    public let slot: Int
    /// Tells a slot's connections apart.
    public let generation: UInt32

    public init(slot: Int, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }
}
