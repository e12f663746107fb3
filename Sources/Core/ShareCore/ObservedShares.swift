/// Shares of something whose use others count as well: what is in use is heard of a moment later, place by place, and
/// what was let in meanwhile is held apart until it is heard of. Remembers those who have something, and nobody else.
///
/// An answer tells what was in use at some time between its question and itself. What began after the question may be
/// missing from it, and stays counted until an answer to a later question comes. So use is never counted too low by
/// what this gateway has let in; it may be counted too high for a moment.
public struct ObservedShares<Holder: Hashable & Sendable>: Sendable {
    private struct Place: Sendable {
        /// As it was heard of.
        var counts: [Holder: Int] = [:]
        var used = 0
        /// The question to which that was the answer.
        var asked: UInt64 = 0
        /// What began since then, the oldest first.
        var began: [(number: UInt64, holder: Holder)] = []
    }

    private let rule: ShareRule
    private var places: [Place]
    private var total: [Holder: Int] = [:]
    private var held: [Holder: Int] = [:]
    private var allHeld = 0
    private var beginnings: UInt64 = 0
    /// What all have in use, without what was let in and has not begun.
    public private(set) var used = 0
    /// How often somebody was refused.
    public private(set) var refusals: UInt64 = 0

    /// - Parameter places: in how many parts the use is counted.
    public init(_ rule: ShareRule, places: Int) {
        self.rule = rule
        self.places = Array(repeating: Place(), count: places)
    }

    /// What a holder has, and has been let in for.
    public func held(by holder: Holder) -> Int { (total[holder] ?? 0) + (held[holder] ?? 0) }

    /// How many hold something.
    public var holders: Int { Set(total.keys).union(held.keys).count }

    /// A question of what is in use.
    public struct Question: Sendable {
        fileprivate let number: UInt64
    }

    /// Taken before a place is asked, and given back with its answer.
    public var question: Question { Question(number: beginnings) }

    /// What is in use in a place was heard of. An answer that was overtaken by one to a later question says nothing.
    /// - Parameter inUse: how much that is in all, of unknown holders too.
    public mutating func heard(_ counts: [Holder: Int], used inUse: Int, in place: Int, asked question: Question) {
        guard question.number >= places[place].asked else { return }
        places[place].asked = question.number
        let known = places[place].began.prefix { $0.number <= question.number }
        for (_, holder) in known { add(-1, holder) }
        used += inUse - places[place].used - known.count
        places[place].used = inUse
        places[place].began.removeFirst(known.count)
        guard counts != places[place].counts else { return }
        for (holder, count) in places[place].counts { add(-count, holder) }
        for (holder, count) in counts { add(count, holder) }
        places[place].counts = counts
    }

    /// One came into use in a place: known before it is heard of.
    public mutating func began(_ holder: Holder, in place: Int) {
        beginnings += 1
        places[place].began.append((beginnings, holder))
        used += 1
        add(1, holder)
    }

    /// Lets somebody in for one; false when it is refused.
    /// - Parameter idle: how many of those in use take nothing from others.
    public mutating func letIn(_ holder: Holder, weight: Int = 1, idle: Int = 0) -> Bool {
        let taken = max(0, used - idle) + allHeld
        guard rule.gives(1, toHolderOf: held(by: holder), weight: weight, used: taken) else {
            refusals += 1
            return false
        }
        held[holder, default: 0] += 1
        allHeld += 1
        return true
    }

    /// The holders that would be refused one more.
    public func fullHolders(idle: Int = 0, weight: (Holder) -> Int) -> [Holder] {
        let taken = max(0, used - idle) + allHeld
        // No holder is refused up to half of the capacity.
        guard rule.isTight(used: taken + 1) else { return [] }
        return Set(total.keys).union(held.keys).filter {
            !rule.gives(1, toHolderOf: self.held(by: $0), weight: weight($0), used: taken)
        }
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
