/// One thing that there is so much of, and who holds how much of it, given by `ShareRule`. Remembers those who hold
/// something, and nobody else.
public struct FairShares<Holder: Hashable & Sendable>: Equatable, Sendable {
    /// By what it is given.
    public let rule: ShareRule
    /// What all hold together.
    public private(set) var used = 0
    private var held: [Holder: Int] = [:]

    public init(_ rule: ShareRule) {
        self.rule = rule
    }

    /// How many hold something.
    public var holders: Int { held.count }

    /// Whether more than half is given.
    public var isTight: Bool { rule.isTight(used: used) }

    /// What somebody holds.
    public func held(by holder: Holder) -> Int { held[holder] ?? 0 }

    /// False when it is refused; then nothing changes.
    public mutating func take(_ amount: Int, for holder: Holder, weight: Int = 1) -> Bool {
        guard amount > 0 else { return true }
        guard rule.gives(amount, toHolderOf: held(by: holder), weight: weight, used: used) else { return false }
        held[holder, default: 0] += amount
        used += amount
        return true
    }

    /// Somebody has no use for so much of what it holds any more.
    public mutating func gaveBack(_ amount: Int, by holder: Holder) {
        let before = held(by: holder)
        let amount = min(amount, before)
        held[holder] = before == amount ? nil : before - amount
        used -= amount
    }
}
