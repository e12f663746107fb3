import Reactor
import ShareCore
import TimeCore

/// What a gateway has only so much of, given to tenants in fair shares.
final class SharedResource: Sendable {
    /// As metrics call it.
    let name: String
    /// How much there is.
    let capacity: Int

    private struct State {
        var shares: FairShares<Claimant>
        var refusals: UInt64 = 0
    }

    private let rule: ShareRule
    private let state: Locked<State>

    /// - Parameter quantum: as much as anybody gets before it is asked what others have.
    init(_ name: String, capacity: Int, quantum: Int = 1) {
        self.name = name
        rule = ShareRule(capacity: capacity, quantum: quantum)
        self.capacity = rule.capacity
        state = Locked(State(shares: FairShares(rule)))
    }

    /// A place; nil when it is refused.
    func place(for claimant: Claimant) -> Share? {
        let share = Share(of: self, for: claimant)
        return share.grow(to: 1) ? share : nil
    }

    /// How often it is asked for by who waits.
    private static let pause = Duration.milliseconds(10)

    /// A place; nil when there is none until so much time has passed, which counts as one refusal.
    func place(for claimant: Claimant, within patience: TimeInterval) async throws -> Share? {
        let end = MonotonicTime.now() + patience
        let share = Share(of: self, for: claimant)
        while true {
            let isLastTry = MonotonicTime.now() >= end
            if share.grow(to: 1, isLastTry: isLastTry) { return share }
            guard !isLastTry else { return nil }
            try await Task.sleep(for: SharedResource.pause)
        }
    }

    /// - Parameter isLastTry: whether a refusal is one.
    fileprivate func take(_ amount: Int, _ claimant: Claimant, isLastTry: Bool) -> Bool {
        state.withLock { state in
            let isTaken = state.shares.take(amount, for: claimant, weight: claimant.weight)
            if !isTaken, isLastTry { state.refusals += 1 }
            return isTaken
        }
    }

    fileprivate func gaveBack(_ amount: Int, _ claimant: Claimant) {
        state.withLock { $0.shares.gaveBack(amount, by: claimant) }
    }

    /// Takes back what somebody can do without, if more than half of it is given.
    fileprivate func takeBackIfTight(_ amount: Int, _ claimant: Claimant) -> Bool {
        state.withLock { state in
            guard state.shares.isTight else { return false }
            state.shares.gaveBack(amount, by: claimant)
            return true
        }
    }

    /// What somebody holds, and could hold alone.
    func share(of claimant: Claimant) -> TenantShare {
        TenantShare(
            name: name, used: state.withLock { $0.shares.held(by: claimant) },
            limit: rule.most(weight: claimant.weight))
    }

    /// How much is given, and how often something was refused.
    var usage: SharedResourceUsage {
        state.withLock {
            SharedResourceUsage(name: name, capacity: capacity, used: $0.shares.used, refusals: $0.refusals)
        }
    }
}

/// How much of something is given.
public struct SharedResourceUsage: Equatable, Sendable {
    /// As metrics call it.
    public let name: String
    /// How much there is.
    public let capacity: Int
    /// How much is given.
    public let used: Int
    /// How often it was refused to somebody.
    public let refusals: UInt64

    public init(name: String, capacity: Int, used: Int, refusals: UInt64) {
        self.name = name
        self.capacity = capacity
        self.used = used
        self.refusals = refusals
    }
}

/// What somebody has been given of a resource. It goes back when this goes.
final class Share: Sendable {
    private let resource: SharedResource
    private let claimant: Claimant
    private let amount = Locked(0)

    /// Nothing yet.
    init(of resource: SharedResource, for claimant: Claimant) {
        self.resource = resource
        self.claimant = claimant
    }

    deinit {
        let held = amount.withLock { $0 }
        if held > 0 { resource.gaveBack(held, claimant) }
    }

    /// Gives it back if more than half of the resource is given; false when it is kept. Of many that would make way
    /// only as many do as need to.
    func makeWayIfTight() -> Bool {
        amount.withLock { held in
            guard held > 0, resource.takeBackIfTight(held, claimant) else { return false }
            held = 0
            return true
        }
    }

    /// Asks for what is lacking to so much. False when that is refused; then it stays as it is.
    /// - Parameter isLastTry: false while it is asked for again: that counts as no refusal.
    func grow(to wanted: Int, isLastTry: Bool = true) -> Bool {
        amount.withLock { held in
            guard wanted > held else { return true }
            guard resource.take(wanted - held, claimant, isLastTry: isLastTry) else { return false }
            held = wanted
            return true
        }
    }
}
