import TimeCore

/// A gateway's counts and permits for one tenant. `TenantUsage` decides by it.
///
/// The store grants permits. They count as used until the gateway reports their results or returns them. So all
/// gateways together keep the limits exactly. A gateway requests permits when a report needs one, with some in reserve.
/// Permits that stay unused for a second are returned.
struct UsageTally {
    /// The tenant's latest known limits.
    private(set) var limits: TenantLimits
    /// True once a report has provided the limits. Before that no crossings are detected.
    private(set) var knowsLimits: Bool

    // Counted but not reported.
    private(set) var counted = Made.nothing
    /// A batch that was sent without an answer. The store may have counted it, so it is resent alone under its number.
    private(set) var unanswered: Telling.Batch?
    // Permits at hand, and permits that reports hold.
    private(set) var left = Amount()
    private(set) var held = Amount()
    /// The permits that the store has recorded for this gateway; nil while an answer is missing.
    private var given: Amount? = Amount()
    /// The end of the time in which the permits at hand are valid. The store drops them later.
    private var goodUntil = MonotonicTime(nanoseconds: 0)
    /// True if returned permits are kept for reuse.
    private var isInUse = false
    private var hasMade = false

    /// True if the store must be asked even without new counts.
    private var isAsked = false
    /// True while a report to the store is under way.
    private(set) var isTelling = false
    private var turn = 0

    // The store's last answer.
    private var allUsers = 0
    private var allDevices = 0
    private var refusals: [(refusal: QuotaRefusal, until: MonotonicTime)] = []

    /// The time for which a gateway holds back counts, and keeps unused permits.
    static let patience = TimeInterval.seconds(1)
    /// The time for which a gateway uses permits.
    static let life = TimeInterval.seconds(20)
    /// The time for which permits of a silent gateway count as used. It exceeds `life` by more than a minute and the
    /// longest command.
    static let kept = TimeInterval.seconds(120)
    /// The time for which the store keeps a gateway's last batch number. It exceeds a gateway's longest absence.
    static let remembered = TimeInterval.seconds(86_400)
    /// The largest reserve of permits. The reserve is otherwise a twentieth of a minute's limit.
    private static let most = 4096

    struct Amount: Equatable, Sendable {
        var users = 0
        var devices = 0
    }

    /// A report to the store.
    struct Telling: Sendable {
        /// Counts that the store adds once, however often they are sent.
        struct Batch: Sendable {
            let counted: Made
            let number: Int
        }

        let limits: TenantLimits
        let knowsLimits: Bool
        let batch: Batch
        let keeps: Amount
        let need: Int
        let wish: Int
        let turn: Int
    }

    /// The store's answer to a report.
    struct Answer {
        var users = 0
        var devices = 0
        var newDevices = 0
        /// Additional permits.
        var given = Amount()
        /// The exhausted limits.
        var isShort: Set<TenantLimits.Limit> = []
        /// The time until the minute's new devices are below the limit; zero if they already are.
        var wait = TimeInterval.zero
        var crossings: [QuotaCrossing] = []
        /// True if a gateway was lost that had counted for the tenant, and this one must recount.
        var isRecountDue = false
    }

    /// - Parameter limits: nil if they are not known yet.
    init(_ limits: TenantLimits?) {
        self.limits = limits ?? .standard
        knowsLimits = limits != nil
    }

    /// Updates the limits. A changed limit voids the refusals and permits that were based on the old one.
    mutating func hear(_ limits: TenantLimits) {
        knowsLimits = true
        guard limits != self.limits else { return }
        let changed = [TenantLimits.Limit.users, .devices, .newDevices].filter { limits[$0] != self.limits[$0] }
        self.limits = limits
        refusals.removeAll { changed.contains($0.refusal.limit) }
        if !changed.isEmpty { left = Amount() }
    }

    /// True if the tally can be dropped without loss.
    var isBlank: Bool {
        counted == .nothing && unanswered == nil && held == Amount() && given == Amount() && !isTelling && !isAsked
    }

    /// Requests a report to the store within a second.
    mutating func ask() { isAsked = true }

    // MARK: Permits

    private var isLimited: Bool { limits[.users] > 0 || limits[.devices] > 0 || limits[.newDevices] > 0 }

    /// Takes a permit. If it allows less than the report needs, `refusal` decides whether the store should be asked.
    mutating func take(_ limits: TenantLimits, now: MonotonicTime) -> MakingPermit {
        hear(limits)
        guard isLimited else { return .any }
        guard isInUse, left.devices > 0, now < goodUntil else { return .none }
        left.devices -= 1
        held.devices += 1
        guard left.users > 0 else { return MakingPermit(device: true, isHeld: true) }
        left.users -= 1
        held.users += 1
        return MakingPermit(device: true, user: true, isHeld: true)
    }

    /// Returns the permit of an import. Imports are an operator's task, so they need no permits and no rate limits
    /// them.
    mutating func importPermit(_ limits: TenantLimits) -> (MakingPermit, refusal: QuotaRefusal?) {
        hear(limits)
        if limits[.devices] > 0, allDevices + counted.devices >= limits[.devices] {
            return (.none, QuotaRefusal(limit: .devices, wait: nil))
        }
        if limits[.users] > 0, allUsers + counted.users >= limits[.users] {
            return (MakingPermit(device: true), QuotaRefusal(limit: .users, wait: nil))
        }
        return (.any, nil)
    }

    /// Returns the number of users with one device each that an import may create within the quotas.
    mutating func importRoom(_ limits: TenantLimits) -> Int {
        hear(limits)
        let devices = limits[.devices] > 0 ? limits[.devices] - allDevices - counted.devices : .max
        let users = limits[.users] > 0 ? limits[.users] - allUsers - counted.users : .max
        return min(devices, users)
    }

    /// Returns a permit and counts its results.
    mutating func settle(_ permit: MakingPermit, _ made: Made) {
        add(made)
        guard permit.isHeld else { return }
        held.devices -= 1
        if permit.user { held.users -= 1 }
        guard isInUse else { return }
        if made.fresh == 0 { left.devices += 1 }
        if permit.user, made.users == 0 { left.users += 1 }
    }

    /// Adds users and devices to the counts, or subtracts removed ones.
    mutating func add(_ made: Made) {
        counted.users += made.users
        counted.devices += made.devices
        counted.fresh += made.fresh
        if made.fresh > 0 { hasMade = true }
    }

    /// Returns the refusal for a report, from the store's latest answer; nil if the store should be asked.
    /// - Parameter needsUser: false if a permit for a device suffices.
    func refusal(needsUser: Bool, now: MonotonicTime) -> QuotaRefusal? {
        for limit in [TenantLimits.Limit.devices, .newDevices] + (needsUser ? [.users] : []) {
            guard let (refusal, until) = refusals.first(where: { $0.refusal.limit == limit }), now < until else {
                continue
            }
            return QuotaRefusal(limit: limit, wait: refusal.wait.map { _ in until - now })
        }
        return nil
    }

    // MARK: The store

    private var reserve: Int {
        let limit = limits[.newDevices]
        return limit > 0 ? min(UsageTally.most, max(1, limit / 20)) : UsageTally.most
    }

    /// True if more permits should be requested now, because few are left and they are used quickly.
    func runsLow(now: MonotonicTime) -> Bool {
        isInUse && hasMade && !isTelling && left.devices * 2 < reserve && refusal(needsUser: false, now: now) == nil
    }

    /// Starts a report to the store.
    /// - Parameters:
    ///   - need: reports that wait for a permit.
    ///   - handsIn: true to return the permits at hand.
    mutating func tell(need: Int, handsIn: Bool, now: MonotonicTime) -> Telling {
        if handsIn { isInUse = false }
        if handsIn || now >= goodUntil { left = Amount() }
        isTelling = true
        isAsked = false
        // The time keeps the number ascending even after a tally was dropped.
        turn = max(turn + 1, Int(now.nanoseconds / 1000))
        let batch = unanswered ?? Telling.Batch(counted: counted, number: turn)
        if unanswered == nil { counted = .nothing }
        unanswered = batch
        let telling = Telling(
            limits: limits, knowsLimits: knowsLimits, batch: batch,
            // Unreported results still hold their permits.
            keeps: Amount(
                users: left.users + held.users + max(0, counted.users),
                devices: left.devices + held.devices + max(0, counted.devices, counted.fresh)), need: need,
            wish: handsIn || need == 0 && !isInUse ? 0 : max(0, reserve - left.devices), turn: turn)
        given = nil
        return telling
    }

    /// Applies the store's answer.
    /// - Parameter sentAt: the time at which the report was sent.
    mutating func told(_ telling: Telling, _ answer: Answer, sentAt: MonotonicTime, now: MonotonicTime) {
        isTelling = false
        unanswered = nil
        allUsers = answer.users
        allDevices = answer.devices
        left.users += answer.given.users
        left.devices += answer.given.devices
        given = Amount(
            users: telling.keeps.users + answer.given.users, devices: telling.keeps.devices + answer.given.devices)
        if answer.given.devices > 0 { isInUse = true }
        goodUntil = sentAt + UsageTally.life
        refusals = answer.isShort.map { limit in
            // Unused permits of other gateways come back soon.
            let wait = limit == .newDevices && answer.wait > .zero ? answer.wait : UsageTally.patience
            return (QuotaRefusal(limit: limit, wait: limit == .newDevices ? wait : nil), now + wait)
        }
    }

    /// Ends a report without an answer. The store may have counted it.
    mutating func notTold() {
        isTelling = false
    }

    /// The action due a second after a count or a grant.
    enum Turn {
        case nothing, waits
        case tells(handsIn: Bool)
    }

    mutating func secondPassed() -> Turn {
        let isIdle = !hasMade
        hasMade = false
        if isIdle { (isInUse, left) = (false, Amount()) }
        if isTelling { return .waits }
        let has = Amount(users: left.users + held.users, devices: left.devices + held.devices)
        if counted == .nothing, unanswered == nil, !isAsked, given == has {
            return given == Amount() ? .nothing : .waits
        }
        return .tells(handsIn: isIdle)
    }
}
