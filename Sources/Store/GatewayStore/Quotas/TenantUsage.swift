import Reactor
import RedisClient
import TimeCore

/// How many users and devices tenants have, and how many devices they see for the first time in a minute, over all
/// gateways together.
///
/// A gateway counts by itself what it makes and removes, and tells the store within a second, or as soon as it has seen a
/// twentieth of what a minute allows. It hears then what all gateways have come to, and lets in no more where that is
/// the limit. So a quota is exceeded by at most what the gateways let in within a second, and by no more than three twentieths of
/// a minute's new devices each. A gateway that is killed takes with it what it has counted in its last second.
///
/// From any thread.
public final class TenantUsage: StoreFeature {
    let context: StoreContext
    private let state = Locked(State())
    private let listener = Locked<(@Sendable ([QuotaCrossing], _ tenantID: String) -> Void)?>(nil)

    static let window = TimeInterval.seconds(60)
    /// How long a gateway keeps to itself what it has counted.
    static let patience = TimeInterval.seconds(1)
    /// Tenants that are known at a time; the store is asked anew about others.
    static let capacity = 4096

    fileprivate struct Tally {
        var users = 0
        var devices = 0
        var fresh = 0
        var limits: TenantLimits
        var isTelling = false
        var toldAt: MonotonicTime?
        // As the store said last.
        var allUsers = 0
        var allDevices = 0
        var freshRefusedUntil: MonotonicTime?

        var isBlank: Bool { users == 0 && devices == 0 && fresh == 0 }
    }

    private struct State {
        var tallies: [String: Tally] = [:]
        var isTimerSet = false
    }

    /// What a report may make.
    struct Permit {
        /// Nil: a device that was not known may be made.
        var deviceRefusal: TenantLimits.Limit?
        /// Nil: so may its user.
        var userRefusal: TenantLimits.Limit?
        /// When it is worth trying again, where that is known.
        var wait: TimeInterval?
        let devicesPerUser: Int

        /// As the script is told it.
        var text: String { deviceRefusal != nil ? "" : userRefusal != nil ? "d" : "u" }
    }

    init(_ context: StoreContext) {
        self.context = context
    }

    /// Has quotas that are nearly or wholly used up told.
    func onCrossing(_ tell: @escaping @Sendable ([QuotaCrossing], _ tenantID: String) -> Void) {
        listener.withLock { $0 = tell }
    }

    // MARK: What may be made, and what was

    /// What a tenant's report may make now.
    /// - Parameter isImport: an operator's own doing, which no rate holds up.
    func permit(_ tenantID: String, _ limits: TenantLimits, isImport: Bool = false) -> Permit {
        let now = MonotonicTime.now()
        var permit = Permit(devicesPerUser: limits[.devicesPerUser])
        let asks = state.withLock { state -> Bool in
            if state.tallies[tenantID] == nil {
                if state.tallies.count >= TenantUsage.capacity {
                    state.tallies = state.tallies.filter { !$0.value.isBlank }
                }
                state.tallies[tenantID] = Tally(limits: limits)
            }
            guard let index = state.tallies.index(forKey: tenantID) else { return false }
            return state.tallies.values[index].decide(limits, isImport, now, &permit)
        }
        if asks { tell(tenantID) }
        return permit
    }

    /// Devices, and perhaps their users, were made.
    func made(devices: Int, users: Int, tenantID: String, isImport: Bool = false) {
        change(tenantID, users: users, devices: devices, fresh: isImport ? 0 : devices)
    }

    /// Devices and users of a tenant are not known any more. Whoever removes some says so here.
    public func removed(devices: Int, users: Int, tenantID: String) {
        change(tenantID, users: -users, devices: -devices, fresh: 0)
    }

    private func change(_ tenantID: String, users: Int, devices: Int, fresh: Int) {
        let (tellsNow, setsTimer) = state.withLock { state -> (Bool, Bool) in
            var tally = state.tallies[tenantID] ?? Tally(limits: .standard)
            tally.users += users
            tally.devices += devices
            tally.fresh += fresh
            let limit = tally.limits[.newDevices]
            let tellsNow =
                !tally.isTelling && limit > 0 && tally.fresh >= Int(RateTable.allowance(limit))
            state.tallies[tenantID] = tally
            defer { state.isTimerSet = true }
            return (tellsNow, !state.isTimerSet)
        }
        if tellsNow { tell(tenantID) }
        guard setsTimer else { return }
        redis.reactor.execute {
            _ = self.redis.reactor.schedule(after: TenantUsage.patience) { [weak self] in self?.timerFired() }
        }
    }

    private func timerFired() {
        let tenants = state.withLock { state -> [String] in
            state.isTimerSet = false
            return state.tallies.filter { !$0.value.isBlank }.map(\.key)
        }
        for tenant in tenants { tell(tenant) }
    }

    // MARK: The store

    /// Tells the store what is not told yet, and takes what it says.
    private func tell(_ tenantID: String, then done: (@Sendable () -> Void)? = nil) {
        let taken = state.withLock { state -> Tally? in
            guard var tally = state.tallies[tenantID], !tally.isTelling || done != nil else { return nil }
            let taken = tally
            (tally.users, tally.devices, tally.fresh) = (0, 0, 0)
            tally.isTelling = true
            state.tallies[tenantID] = tally
            return taken
        }
        guard let taken else { done?(); return }
        let command = addCommand(tenantID, taken.limits, users: taken.users, devices: taken.devices, fresh: taken.fresh)
        let isGiven = redis.reactor.execute {
            self.redis.send(command) { result in
                if case .success(let view) = result, let parts = view.copy().array, parts.count >= 4 {
                    self.settle(tenantID, parts)
                } else {
                    self.failed(tenantID, taken)
                }
                done?()
            }
        }
        guard !isGiven else { return }
        failed(tenantID, taken)
        done?()
    }

    private func addCommand(
        _ tenantID: String, _ limits: TenantLimits, users: Int, devices: Int, fresh: Int
    ) -> RedisCommand {
        RedisCommand(
            script: Scripts.addUsage, keys: [Keys.usage(tenantID)],
            arguments: [
                users, devices, fresh, limits[.users], limits[.devices], limits[.newDevices],
                Int(TenantUsage.window.nanoseconds / 1_000_000), TenantLimits.Limit.users.name,
                TenantLimits.Limit.devices.name, TenantLimits.Limit.newDevices.name,
            ])
    }

    private func settle(_ tenantID: String, _ parts: [RedisValue]) {
        let now = MonotonicTime.now()
        let wait = Int(parts[3].int ?? 0)
        let tellsAgain = state.withLock { state -> Bool in
            guard var tally = state.tallies[tenantID] else { return false }
            tally.isTelling = false
            tally.toldAt = now
            tally.allUsers = Int(parts[0].int ?? 0)
            tally.allDevices = Int(parts[1].int ?? 0)
            tally.freshRefusedUntil = wait > 0 ? now + .milliseconds(wait) : nil
            state.tallies[tenantID] = tally
            let limit = tally.limits[.newDevices]
            return limit > 0 && tally.fresh >= Int(RateTable.allowance(limit))
        }
        let crossings = QuotaCrossing.all(parts[4...])
        if !crossings.isEmpty { listener.withLock { $0 }?(crossings, tenantID) }
        if tellsAgain { tell(tenantID) }
    }

    private func failed(_ tenantID: String, _ taken: Tally) {
        state.withLock { state in
            var tally = state.tallies[tenantID] ?? Tally(limits: taken.limits)
            tally.isTelling = false
            tally.toldAt = .now()
            tally.users += taken.users
            tally.devices += taken.devices
            tally.fresh += taken.fresh
            state.tallies[tenantID] = tally
        }
        change(tenantID, users: 0, devices: 0, fresh: 0)
    }

    /// Tells the store everything that is not told yet.
    public func flush() async {
        let tenants = state.withLock { $0.tallies.filter { !$0.value.isBlank }.map(\.key) }
        for tenant in tenants {
            await withCheckedContinuation { continuation in tell(tenant) { continuation.resume() } }
        }
    }

    // MARK: Reading

    /// What a tenant has: users, devices, and devices seen for the first time within a minute.
    public func counts(
        _ tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) -> (users: Int, devices: Int, newDevices: Int) {
        let reply = try await value(addCommand(tenantID, limits, users: 0, devices: 0, fresh: 0))
        guard let parts = reply.array, parts.count >= 4 else { throw .damaged("a tenant's usage") }
        let crossings = QuotaCrossing.all(parts[4...])
        if !crossings.isEmpty { listener.withLock { $0 }?(crossings, tenantID) }
        return (Int(parts[0].int ?? 0), Int(parts[1].int ?? 0), Int(parts[2].int ?? 0))
    }

    /// Notes how much is used of a quota that is counted elsewhere.
    func note(
        _ limit: TenantLimits.Limit, used: Int, of value: Int, tenantID: String, againAfter: TimeInterval = .zero
    ) async throws(StoreError) {
        let reply = try await run(
            Scripts.noteUse, [Keys.usage(tenantID)],
            [limit.name, used, value, Int(againAfter.nanoseconds / 1_000_000)])
        let crossings = QuotaCrossing.all((reply.array ?? [])[...])
        if !crossings.isEmpty { listener.withLock { $0 }?(crossings, tenantID) }
    }
}

extension TenantUsage.Tally {
    /// - Returns: whether the store is to be asked how things stand.
    fileprivate mutating func decide(
        _ limits: TenantLimits, _ isImport: Bool, _ now: MonotonicTime, _ permit: inout TenantUsage.Permit
    ) -> Bool {
        self.limits = limits
        if limits[.devices] > 0, allDevices + devices >= limits[.devices] {
            permit.deviceRefusal = .devices
        } else if !isImport, limits[.newDevices] > 0, let until = freshRefusedUntil, until > now {
            permit.deviceRefusal = .newDevices
            permit.wait = until - now
        }
        if limits[.users] > 0, allUsers + users >= limits[.users] { permit.userRefusal = .users }
        guard !isTelling else { return false }
        guard let toldAt else { return true }
        let isRefused = permit.deviceRefusal != nil || permit.userRefusal != nil
        return isRefused && now - toldAt >= TenantUsage.patience
    }
}
