/// Shares of a resource that other gateways also use. Their use is observed with delay, place by place. Local grants
/// are counted separately until an observation includes them. Stores only holders with a share.
///
/// An answer reports the use at some time between question and answer. It may lack grants that began after the
/// question; these stay counted until a later question is answered. Local grants are therefore never counted too low,
/// but briefly too high.
public struct ObservedShares<Holder: Hashable & Sendable>: Sendable {
    private struct Place: Sendable {
        /// The observed use.
        var counts: [Holder: Int] = [:]
        var used = 0
        /// The question of the last answer.
        var asked: UInt64 = 0
        /// Grants that began since that question, the oldest first.
        var began: [(number: UInt64, holder: Holder)] = []
    }

    private let rule: ShareRule
    private var places: [Place]
    private var total: [Holder: Int] = [:]
    private var held: [Holder: Int] = [:]
    private var allHeld = 0
    private var beginnings: UInt64 = 0
    /// The total use, without grants that have not begun.
    public private(set) var used = 0
    /// The number of refusals.
    public private(set) var refusals: UInt64 = 0

    /// - Parameter places: The number of parts in which the use is counted.
    public init(_ rule: ShareRule, places: Int) {
        self.rule = rule
        self.places = Array(repeating: Place(), count: places)
    }

    /// A holder's use and grants.
    public func held(by holder: Holder) -> Int { (total[holder] ?? 0) + (held[holder] ?? 0) }

    /// The number of holders with a share.
    public var holders: Int { Set(total.keys).union(held.keys).count }

    /// A marker for a query of the use.
    public struct Question: Sendable {
        fileprivate let number: UInt64
    }

    /// The marker to take before querying a place, and to pass with its answer.
    public var question: Question { Question(number: beginnings) }

    /// Records a place's observed use. The answer to an earlier question than the last one is ignored.
    /// - Parameter inUse: The total use, including unknown holders.
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

    /// Records one unit in use before it is observed.
    public mutating func began(_ holder: Holder, in place: Int) {
        beginnings += 1
        places[place].began.append((beginnings, holder))
        used += 1
        add(1, holder)
    }

    /// Grants one unit to a holder; false if refused.
    /// - Parameter idle: The number of used units that take nothing from other holders.
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

    /// The holders that would be refused another unit.
    public func fullHolders(idle: Int = 0, weight: (Holder) -> Int) -> [Holder] {
        let taken = max(0, used - idle) + allHeld
        // No holder is refused up to half of the capacity.
        guard rule.isTight(used: taken + 1) else { return [] }
        return Set(total.keys).union(held.keys).filter {
            !rule.gives(1, toHolderOf: self.held(by: $0), weight: weight($0), used: taken)
        }
    }

    /// Ends a grant that has begun or will not begin.
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
