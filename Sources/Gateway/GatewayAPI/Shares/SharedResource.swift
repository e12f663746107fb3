import Reactor
import ShareCore
import TimeCore

/// A limited resource that tenants use in fair shares.
final class SharedResource: Sendable {
    /// The name in metrics.
    let name: String
    /// The total amount.
    let capacity: Int

    private struct State {
        var shares: FairShares<Claimant>
        var refusals: UInt64 = 0
    }

    private let rule: ShareRule
    private let state: Locked<State>

    /// - Parameter quantum: The amount that a claimant can get regardless of the use of others.
    init(_ name: String, capacity: Int, quantum: Int = 1) {
        self.name = name
        rule = ShareRule(capacity: capacity, quantum: quantum)
        self.capacity = rule.capacity
        state = Locked(State(shares: FairShares(rule)))
    }

    /// Takes a place; nil if it is refused.
    func place(for claimant: Claimant) -> Share? {
        let share = Share(of: self, for: claimant)
        return share.grow(to: 1) ? share : nil
    }

    /// The pause between tries of a waiting request.
    private static let pause = Duration.milliseconds(10)

    /// Takes a place, and waits for one up to this time; nil without one, which counts as one refusal.
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

    /// - Parameter isLastTry: True if a refusal counts.
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

    /// Takes back a share if more than half of the resource is in use.
    fileprivate func takeBackIfTight(_ amount: Int, _ claimant: Claimant) -> Bool {
        state.withLock { state in
            guard state.shares.isTight else { return false }
            state.shares.gaveBack(amount, by: claimant)
            return true
        }
    }

    /// Returns a claimant's use, and its limit without others.
    func share(of claimant: Claimant) -> TenantShare {
        TenantShare(
            name: name, used: state.withLock { $0.shares.held(by: claimant) },
            limit: rule.most(weight: claimant.weight))
    }

    /// The amount in use and the number of refusals.
    var usage: SharedResourceUsage {
        state.withLock {
            SharedResourceUsage(name: name, capacity: capacity, used: $0.shares.used, refusals: $0.refusals)
        }
    }
}

/// The usage of a resource.
public struct SharedResourceUsage: Equatable, Sendable {
    /// The name in metrics.
    public let name: String
    /// The total amount.
    public let capacity: Int
    /// The amount in use.
    public let used: Int
    /// The number of refusals.
    public let refusals: UInt64

    public init(name: String, capacity: Int, used: Int, refusals: UInt64) {
        self.name = name
        self.capacity = capacity
        self.used = used
        self.refusals = refusals
    }
}

/// The part of a resource that a claimant holds. Its deinitializer returns it.
final class Share: Sendable {
    private let resource: SharedResource
    private let claimant: Claimant
    private let amount = Locked(0)

    /// An empty share.
    init(of resource: SharedResource, for claimant: Claimant) {
        self.resource = resource
        self.claimant = claimant
    }

    deinit {
        let held = amount.withLock { $0 }
        if held > 0 { resource.gaveBack(held, claimant) }
    }

    /// Returns the share if more than half of the resource is in use; otherwise false.
    func makeWayIfTight() -> Bool {
        amount.withLock { held in
            guard held > 0, resource.takeBackIfTight(held, claimant) else { return false }
            held = 0
            return true
        }
    }

    /// Grows to this amount; false if that is refused, which changes nothing.
    /// - Parameter isLastTry: False if the caller tries again, so that a refusal does not count.
    func grow(to wanted: Int, isLastTry: Bool = true) -> Bool {
        amount.withLock { held in
            guard wanted > held else { return true }
            guard resource.take(wanted - held, claimant, isLastTry: isLastTry) else { return false }
            held = wanted
            return true
        }
    }
}
