/// The number of uses of a limited resource by each address.
public struct AddressCounts: Sendable {
    private let maximum: Int
    private var counts: [AddressGroup: Int] = [:]

    /// No uses yet.
    public init(maximum: Int) {
        self.maximum = maximum
    }

    /// Counts one more use; false if the address has the maximum.
    public mutating func take(_ group: AddressGroup) -> Bool {
        let held = counts[group, default: 0]
        guard held < maximum else { return false }
        counts[group] = held + 1
        return true
    }

    /// Returns one use.
    public mutating func giveBack(_ group: AddressGroup) {
        guard let held = counts[group] else { return }
        counts[group] = held > 1 ? held - 1 : nil
    }

    /// The number of uses by an address.
    public func held(by group: AddressGroup) -> Int { counts[group, default: 0] }

    /// The number of addresses with at least one use.
    public var addresses: Int { counts.count }
}
