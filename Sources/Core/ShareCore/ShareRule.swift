/// Decides how much of a resource a holder may take, if shares cannot be revoked.
///
/// A part always stays free for later holders. A holder beyond a quantum must leave free a certain part of its new
/// share, smaller for a greater weight. One tenant alone gets nearly all; two greedy ones get nearly half each. These
/// are the dynamic thresholds of switches with shared memory (Choudhury and Hahne, 1998). They need no data about other
/// holders.
///
/// 1. The total never exceeds the capacity, except for a newcomer's quantum if that is allowed.
/// 2. A holder below a quantum gets up to one while there is room.
/// 3. A grant beyond a quantum leaves free at least a quantum, and a part of the holder's new share.
/// 4. Of two equal requests, one is refused only if one with an equal share and no greater weight is refused too.
/// 5. A grant beyond a quantum is refused only if it would leave less free than a quantum or that part. At most a ninth
///    stays unused while a single holder of weight 1 wants more.
public struct ShareRule: Equatable, Sendable {
    /// The maximum share of a tenant of weight 1, as a multiple of the free rest.
    public static let multiple = 8

    /// The total amount.
    public let capacity: Int
    /// The share that each holder gets regardless of other holders.
    public let quantum: Int
    /// True if a holder without a share gets a quantum even when none is left. Use it only for soft limits.
    public let favorsNewcomers: Bool

    /// Limits `quantum` to the capacity.
    public init(capacity: Int, quantum: Int = 1, favorsNewcomers: Bool = false) {
        self.capacity = max(1, capacity)
        self.quantum = min(max(1, quantum), self.capacity)
        self.favorsNewcomers = favorsNewcomers
    }

    /// True if a holder of `held` gets `amount` more.
    /// - Parameters:
    ///   - used: The sum of all shares, including this holder's.
    ///   - weight: At least 1.
    public func gives(_ amount: Int, toHolderOf held: Int, weight: Int = 1, used: Int) -> Bool {
        let isLittle = held + amount <= quantum
        if favorsNewcomers, held == 0, isLittle { return true }
        let left = capacity - used - amount
        guard left >= 0 else { return false }
        return isLittle || left >= quantum && held + amount <= ShareRule.multiple * max(1, weight) * left
    }

    /// Returns the maximum share of a single holder that takes one unit at a time.
    public func most(weight: Int = 1) -> Int {
        let parts = ShareRule.multiple * max(1, weight) + 1
        return max(quantum, min(capacity - quantum, capacity - (capacity + parts - 1) / parts))
    }

    /// True if more than half of the capacity is used.
    public func isTight(used: Int) -> Bool { used > capacity / 2 }
}
