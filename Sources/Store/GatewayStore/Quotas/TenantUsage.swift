import LiveActivity
import Reactor
import RedisClient
import TimeCore

/// The users, devices and new devices of tenants, counted over all gateways and kept within their limits.
///
/// A report that creates a user or a device needs a permit of the store; see `UsageTally`. A gateway requests permits
/// in advance, so few reports wait, and reports its counts within a second. An import needs no permits. So imports may
/// exceed a limit by the devices of about a second. A killed gateway loses the counts of its last second, and the
/// tenant is then recounted. Its permits count as used for two minutes.
///
/// Callable from any thread.
public final class TenantUsage: StoreFeature {
    let context: StoreContext
    private let state = Locked(State())
    private let listener = Locked<(@Sendable ([QuotaCrossing], _ tenantID: String) -> Void)?>(nil)
    /// The id under which the store records this gateway's permits.
    private let holder = UniqueID.random().description

    static let window = TimeInterval.seconds(60)
    /// Longer than a gateway takes to report its removals, and shorter than the time until another gateway continues
    /// them.
    private static let announced = TimeInterval.seconds(8)
    /// The number of tenants kept in memory. For others the store is asked again.
    static let capacity = 4096

    /// A report that waits for a permit. There are at most as many as reports under way.
    ///
    /// `@unchecked Sendable`: confined to the reactor, which runs reports and calls `answer`.
    fileprivate struct Waiter: @unchecked Sendable {
        let needsUser: Bool
        let answer: (Result<MakingPermit, StoreError>) -> Void
    }

    fileprivate struct Tenant {
        var tally: UsageTally
        var waiters: [Waiter] = []
        /// Callbacks that wait until all present counts are reported.
        var flushes: [@Sendable () -> Void] = []
    }

    private struct State {
        var tenants: [String: Tenant] = [:]
        var isTimerSet = false

        mutating func with<Value>(
            _ tenantID: String, _ limits: TenantLimits?, _ body: (inout Tenant) -> Value
        ) -> Value {
            if let index = tenants.index(forKey: tenantID) { return body(&tenants.values[index]) }
            if tenants.count >= TenantUsage.capacity { tenants = tenants.filter { !$0.value.tally.isBlank } }
            return body(&tenants[tenantID, default: Tenant(tally: UsageTally(limits))])
        }
    }

    init(_ context: StoreContext) {
        self.context = context
    }

    /// Sets the listener for quotas that are nearly or fully used.
    func onCrossing(_ tell: @escaping @Sendable ([QuotaCrossing], _ tenantID: String) -> Void) {
        listener.withLock { $0 = tell }
    }

    // MARK: Permits and counts

    /// Takes a permit from those at hand, without asking the store. The caller must settle it.
    func take(_ tenantID: String, _ limits: TenantLimits) -> MakingPermit {
        let now = MonotonicTime.now()
        return state.withLock { $0.with(tenantID, limits) { $0.tally.take(limits, now: now) } }
    }

    /// Returns an import's permit, and the reason if it does not allow both.
    func importPermit(_ tenantID: String, _ limits: TenantLimits) -> (MakingPermit, refusal: QuotaRefusal?) {
        state.withLock { $0.with(tenantID, limits) { $0.tally.importPermit(limits) } }
    }

    /// Returns the number of users with one device each that an import may create.
    func importRoom(_ tenantID: String, _ limits: TenantLimits) -> Int {
        state.withLock { $0.with(tenantID, limits) { $0.tally.importRoom(limits) } }
    }

    /// Requests a permit for a report that has none, or none for a user. Must run on the reactor. Calls `answer` once,
    /// possibly before it returns, and on any thread if the reactor has stopped.
    func wait(
        _ tenantID: String, _ limits: TenantLimits, needsUser: Bool,
        answer: @escaping (Result<MakingPermit, StoreError>) -> Void
    ) {
        assert(redis.reactor.isOnReactor)
        let now = MonotonicTime.now()
        let waiter = Waiter(needsUser: needsUser, answer: answer)
        let answers = state.withLock { $0.with(tenantID, limits) { $0.serve([waiter], limits, now) } }
        for (waiter, result) in answers { waiter.answer(result) }
        if answers.isEmpty { tell(tenantID) }
        setTimer()
    }

    /// Returns a permit and counts its results.
    func settle(_ permit: MakingPermit, _ made: Made, tenantID: String, _ limits: TenantLimits) {
        guard permit.isHeld || made != .nothing else { return }
        let now = MonotonicTime.now()
        let runsLow = state.withLock { state in
            state.with(tenantID, limits) { tenant in
                if !tenant.tally.knowsLimits { tenant.tally.hear(limits) }
                tenant.tally.settle(permit, made)
                return tenant.tally.runsLow(now: now)
            }
        }
        if runsLow { tell(tenantID) }
        if made != .nothing { setTimer() }
    }

    /// Counts removed devices and users of a tenant. Each caller that removes some must call this.
    public func removed(devices: Int, users: Int, tenantID: String) {
        guard users != 0 || devices != 0 else { return }
        // The tenant's limits are not available here.
        state.withLock { state in
            state.with(tenantID, nil) { $0.tally.add(Made(users: -users, devices: -devices)) }
        }
        setTimer()
    }

    /// The command that announces in the store that this gateway is about to remove users or devices of a tenant. The
    /// next report withdraws the announcement. Without a report, another gateway finds it and recounts the tenant.
    func announcement(_ tenantID: String) -> RedisCommand {
        let until = wallClock() + TenantUsage.announced
        return RedisCommand("HSETNX", Keys.usage(tenantID), "l:\(holder)", "0:0:\(until.milliseconds):0")
    }

    /// Checks within a second for a lost gateway that had counted for a tenant.
    func checkForLostGateways(_ tenantID: String) {
        state.withLock { $0.with(tenantID, nil) { $0.tally.ask() } }
        setTimer()
    }

    // MARK: The store

    /// Schedules a report to the store a second from now.
    private func setTimer() {
        let isSet = state.withLock { state in
            defer { state.isTimerSet = true }
            return state.isTimerSet
        }
        guard !isSet else { return }
        redis.reactor.execute {
            _ = self.redis.reactor.schedule(after: UsageTally.patience) { [weak self] in self?.timerFired() }
        }
    }

    private func timerFired() {
        var (waits, tells): (Bool, [(tenantID: String, handsIn: Bool)]) = (false, [])
        state.withLock { state in
            state.isTimerSet = false
            for tenantID in state.tenants.keys {
                switch state.tenants[tenantID]?.tally.secondPassed() {
                case .nothing, nil: break
                case .waits: waits = true
                case .tells(let handsIn): tells.append((tenantID, handsIn))
                }
            }
        }
        for (tenantID, handsIn) in tells { tell(tenantID, handsIn: handsIn) }
        if waits || !tells.isEmpty { setTimer() }
    }

    /// Reports unreported counts to the store, and requests permits for waiting reports. Does nothing while a report is
    /// under way, because its answer may grant permits.
    private func tell(_ tenantID: String, handsIn: Bool = false) {
        let now = MonotonicTime.now()
        let telling = state.withLock { state -> UsageTally.Telling? in
            guard var tenant = state.tenants[tenantID], !tenant.tally.isTelling else { return nil }
            defer { state.tenants[tenantID] = tenant }
            return tenant.tally.tell(need: tenant.waiters.count, handsIn: handsIn, now: now)
        }
        guard let telling else { return }
        let isGiven = redis.reactor.execute {
            let call = TenantUsage.call(
                tenantID, telling.limits, telling.batch.counted, holder: self.holder, telling)
            self.redis.send(call.command) { result in
                let answer = call.result(result).map { UsageTally.Answer($0) }
                self.answered(tenantID, telling, answer, sentAt: now)
            }
        }
        if !isGiven { answered(tenantID, telling, .failure(.unavailable("the reactor has stopped")), sentAt: now) }
    }

    static func call(
        _ tenantID: String, _ limits: TenantLimits, _ counted: Made, holder: String, _ telling: UsageTally.Telling?,
        knowsLimits: Bool = true
    ) -> ScriptCall<Scripts.AddUsageReply> {
        Scripts.addUsage(
            usage: Keys.usage(tenantID), users: counted.users, devices: counted.devices, fresh: counted.fresh,
            holder: holder, batch: telling?.batch.number ?? 0,
            remembered: Int(UsageTally.remembered.nanoseconds / 1_000_000),
            tells: telling?.knowsLimits ?? knowsLimits ? "1" : "", turn: telling?.turn ?? 0,
            usersHeld: telling?.keeps.users ?? 0, devicesHeld: telling?.keeps.devices ?? 0, need: telling?.need ?? 0,
            wish: telling?.wish ?? 0, window: Int(TenantUsage.window.nanoseconds / 1_000_000),
            kept: Int(UsageTally.kept.nanoseconds / 1_000_000),
            recounting: Int(TenantUsage.recountLease.nanoseconds / 1_000_000), usersLimit: limits[.users],
            devicesLimit: limits[.devices], freshLimit: limits[.newDevices],
            names: [TenantLimits.Limit.users, .devices, .newDevices].map(\.name))
    }

    private func answered(
        _ tenantID: String, _ telling: UsageTally.Telling, _ result: Result<UsageTally.Answer, StoreError>,
        sentAt: MonotonicTime
    ) {
        let now = MonotonicTime.now()
        var answers: [(Waiter, Result<MakingPermit, StoreError>)] = []
        var flushes: [@Sendable () -> Void] = []
        let tellsAgain = state.withLock { state -> Bool in
            guard var tenant = state.tenants[tenantID] else { return false }
            defer { state.tenants[tenantID] = tenant }
            let waiters = tenant.waiters
            tenant.waiters = []
            switch result {
            case .success(let answer):
                tenant.tally.told(telling, answer, sentAt: sentAt, now: now)
                answers = tenant.serve(waiters, telling.limits, now)
            case .failure(let error):
                tenant.tally.notTold()
                answers = waiters.map { ($0, .failure(error)) }
            }
            (flushes, tenant.flushes) = (tenant.flushes, [])
            // After an error the timer repeats the report a second later.
            guard case .success = result else { return false }
            return !tenant.waiters.isEmpty || tenant.tally.runsLow(now: now)
        }
        for (waiter, result) in answers { waiter.answer(result) }
        if case .success(let answer) = result, !answer.crossings.isEmpty {
            listener.withLock { $0 }?(answer.crossings, tenantID)
        }
        if case .success(let answer) = result, answer.isRecountDue {
            Task { try? await self.recountAfterLoss(tenantID) }
        }
        for flush in flushes { flush() }
        if tellsAgain { tell(tenantID) }
        setTimer()
    }

    /// Reports all counts to the store, and returns unused permits.
    public func flush() async {
        for tenantID in state.withLock({ Array($0.tenants.keys) }) {
            // A report under way may lack the latest counts, and a repeated batch goes alone.
            for _ in 0..<3 {
                await withCheckedContinuation { continuation in
                    let isBlank = state.withLock { state -> Bool in
                        guard let tenant = state.tenants[tenantID], !tenant.tally.isBlank else { return true }
                        state.tenants[tenantID]?.flushes.append { continuation.resume() }
                        return false
                    }
                    if isBlank { continuation.resume() } else { tell(tenantID, handsIn: true) }
                }
            }
        }
    }

    // MARK: Reading

    /// Returns a tenant's users, devices, and new devices within a minute.
    public func counts(
        _ tenantID: String, _ limits: TenantLimits
    ) async throws(StoreError) -> (users: Int, devices: Int, newDevices: Int) {
        let answer = UsageTally.Answer(try await run(TenantUsage.call(tenantID, limits, .nothing, holder: "", nil)))
        if !answer.crossings.isEmpty { listener.withLock { $0 }?(answer.crossings, tenantID) }
        return (answer.users, answer.devices, answer.newDevices)
    }

    /// Records the use of a quota that is counted elsewhere.
    func note(
        _ limit: TenantLimits.Limit, used: Int, of value: Int, tenantID: String, againAfter: TimeInterval = .zero
    ) async throws(StoreError) {
        let crossing = try await run(
            Scripts.noteUse(
                usage: Keys.usage(tenantID), name: limit.name, used: used, limit: value,
                againAfter: Int(againAfter.nanoseconds / 1_000_000)))
        report(QuotaCrossing.all(crossing), tenantID: tenantID)
    }

    /// Publishes crossings that another quota's script returned.
    func report(_ crossings: [QuotaCrossing], tenantID: String) {
        if !crossings.isEmpty { listener.withLock { $0 }?(crossings, tenantID) }
    }
}

extension TenantUsage.Tenant {
    /// Grants permits to waiters in order, or answers with a refusal. The others keep waiting.
    fileprivate mutating func serve(
        _ waiting: [TenantUsage.Waiter], _ limits: TenantLimits, _ now: MonotonicTime
    ) -> [(TenantUsage.Waiter, Result<MakingPermit, StoreError>)] {
        var answers: [(TenantUsage.Waiter, Result<MakingPermit, StoreError>)] = []
        for waiter in waiting {
            let permit = tally.take(limits, now: now)
            if waiter.needsUser ? permit.user : permit.device {
                answers.append((waiter, .success(permit)))
                continue
            }
            tally.settle(permit, .nothing)
            if let refusal = tally.refusal(needsUser: waiter.needsUser, now: now) {
                answers.append((waiter, .failure(refusal.error)))
            } else {
                waiters.append(waiter)
            }
        }
        return answers
    }
}
