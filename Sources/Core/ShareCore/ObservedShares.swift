/// Shares of something whose use others count as well: what is in use is heard of a moment later, place by place, and what
/// was let in meanwhile is held apart until it is heard of. Remembers those who have something, and nobody else.
public struct ObservedShares<Holder: Hashable & Sendable>: Sendable {
    private let rule: ShareRule
    private var observed: [[Holder: Int]]
    private var total: [Holder: Int] = [:]
    private var held: [Holder: Int] = [:]
    private var allHeld = 0
    /// How often somebody was refused.
    public private(set) var refusals: UInt64 = 0

    /// - Parameter places: in how many parts the use is counted.
    public init(_ rule: ShareRule, places: Int) {
        self.rule = rule
        observed = Array(repeating: [:], count: places)
    }

    /// What a holder has, and has been let in for.
    public func held(by holder: Holder) -> Int { (total[holder] ?? 0) + (held[holder] ?? 0) }

    /// How many hold something.
    public var holders: Int { Set(total.keys).union(held.keys).count }

    /// What is in use in a place was heard of.
    public mutating func heard(_ counts: [Holder: Int], in place: Int) {
        guard counts != observed[place] else { return }
        for (holder, count) in observed[place] { add(-count, holder) }
        for (holder, count) in counts { add(count, holder) }
        observed[place] = counts
    }

    /// One came into use in a place: known before it is heard of.
    public mutating func began(_ holder: Holder, in place: Int) {
        observed[place][holder, default: 0] += 1
        add(1, holder)
    }

    /// Lets somebody in for one; false when it is refused.
    /// - Parameter used: what all have in use, as it was heard of.
    public mutating func letIn(_ holder: Holder, weight: Int = 1, used: Int) -> Bool {
        guard rule.gives(1, toHolderOf: held(by: holder), weight: weight, used: max(0, used) + allHeld) else {
            refusals += 1
            return false
        }
        held[holder, default: 0] += 1
        allHeld += 1
        return true
    }

    /// Who was let in has begun, or will not.
    public mutating func settled(_ holder: Holder) {
        guard let count = held[holder] else { return }
        held[holder] = count == 1 ? nil : count - 1
        allHeld -= 1
    }

    private mutating func add(_ difference: Int, _ holder: Holder) {
        let count = (total[holder] ?? 0) + difference
        total[holder] = count == 0 ? nil : count
    }
}
