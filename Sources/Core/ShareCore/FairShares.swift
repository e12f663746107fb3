/// The shares of a limited resource by holder, under a `ShareRule`. Stores only holders with a share.
public struct FairShares<Holder: Hashable & Sendable>: Equatable, Sendable {
    /// The rule that decides.
    public let rule: ShareRule
    /// The sum of all shares.
    public private(set) var used = 0
    private var held: [Holder: Int] = [:]

    public init(_ rule: ShareRule) {
        self.rule = rule
    }

    /// The number of holders with a share.
    public var holders: Int { held.count }

    /// True if more than half of the capacity is used.
    public var isTight: Bool { rule.isTight(used: used) }

    /// Returns a holder's share.
    public func held(by holder: Holder) -> Int { held[holder] ?? 0 }

    /// Takes a share. Returns false without a change if it is refused.
    public mutating func take(_ amount: Int, for holder: Holder, weight: Int = 1) -> Bool {
        guard amount > 0 else { return true }
        guard rule.gives(amount, toHolderOf: held(by: holder), weight: weight, used: used) else { return false }
        held[holder, default: 0] += amount
        used += amount
        return true
    }

    /// Returns a part of a holder's share.
    public mutating func gaveBack(_ amount: Int, by holder: Holder) {
        let before = held(by: holder)
        let amount = min(amount, before)
        held[holder] = before == amount ? nil : before - amount
        used -= amount
    }
}
