/// Who gets how much of what cannot be taken back once it is given.
///
/// Nobody knows who comes next, so a part stays free: whoever holds more than a little must leave free a certain part
/// of what it holds then, a smaller one the greater its weight. One tenant alone has nearly all, of two greedy ones
/// each nearly a half; what stays free shrinks with their number. These are the dynamic thresholds by which switches
/// share their memory (Choudhury and Hahne, 1998); they need no look at the others.
///
/// 1. Never is more given than there is, but for a newcomer's quantum where that is allowed.
/// 2. Who holds less than a quantum is given up to one as long as there is room.
/// 3. What is given beyond a quantum leaves a quantum free at least, and a part of what is held by then.
/// 4. Of two that want the same, one is refused only if one of the same or a smaller weight that holds as much is too.
/// 5. Who is refused more than a quantum finds less free than a quantum, or than that part of what it would hold,
///    beside what it wants: no more than a ninth of all stays unused while somebody of weight 1 who is alone wants
///    more.
public struct ShareRule: Equatable, Sendable {
    /// A tenant of weight 1 holds at most so many times what stays free.
    public static let multiple = 8

    /// How much there is.
    public let capacity: Int
    /// As much as anybody gets before it is asked what others have.
    public let quantum: Int
    /// Whether who holds nothing gets a quantum although there is none left: for what is bounded for order's sake only.
    public let favorsNewcomers: Bool

    /// A quantum beyond the capacity is the capacity.
    public init(capacity: Int, quantum: Int = 1, favorsNewcomers: Bool = false) {
        self.capacity = max(1, capacity)
        self.quantum = min(max(1, quantum), self.capacity)
        self.favorsNewcomers = favorsNewcomers
    }

    /// Whether somebody who holds so much gets so much more.
    /// - Parameters:
    ///   - used: what all hold together, the one who asks among them.
    ///   - weight: 1 and up.
    public func gives(_ amount: Int, toHolderOf held: Int, weight: Int = 1, used: Int) -> Bool {
        let isLittle = held + amount <= quantum
        if favorsNewcomers, held == 0, isLittle { return true }
        let left = capacity - used - amount
        guard left >= 0 else { return false }
        return isLittle || left >= quantum && held + amount <= ShareRule.multiple * max(1, weight) * left
    }

    /// As much as somebody gets who is alone, and takes one at a time.
    public func most(weight: Int = 1) -> Int {
        let parts = ShareRule.multiple * max(1, weight) + 1
        return max(quantum, min(capacity - quantum, capacity - (capacity + parts - 1) / parts))
    }

    /// Whether more than half is given.
    public func isTight(used: Int) -> Bool { used > capacity / 2 }
}
