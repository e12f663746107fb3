/// How much each address holds of something of which none may hold more than so much.
public struct AddressCounts: Sendable {
    private let maximum: Int
    private var counts: [AddressGroup: Int] = [:]

    /// Counts of nobody yet.
    public init(maximum: Int) {
        self.maximum = maximum
    }

    /// Takes one more; false when the address holds all that it may.
    public mutating func take(_ group: AddressGroup) -> Bool {
        let held = counts[group, default: 0]
        guard held < maximum else { return false }
        counts[group] = held + 1
        return true
    }

    /// Gives back one that was taken.
    public mutating func giveBack(_ group: AddressGroup) {
        guard let held = counts[group] else { return }
        counts[group] = held > 1 ? held - 1 : nil
    }

    /// How much an address holds.
    public func held(by group: AddressGroup) -> Int { counts[group, default: 0] }

    /// How many addresses hold anything.
    public var addresses: Int { counts.count }
}
