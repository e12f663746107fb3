import TimeCore

/// What a gateway has counted of a tenant, and what it may make: what `TenantUsage` decides by.
///
/// The store gives permits. What it has given counts as used until it hears what was made, or gets the rest back; so
/// whatever is made, here or elsewhere, the limits are kept exactly. Permits are asked for when a report needs one, and
/// some beyond that; those which nobody has used for a second go back.
struct UsageTally {
    /// Limits as the tenant had them when it was heard of last.
    private(set) var limits: TenantLimits
    /// Not before a report has brought them: until then nothing is known of what is near its limit.
    private(set) var knowsLimits: Bool

    // Counted and not told.
    private(set) var counted = Made.nothing
    /// Told, and not answered: it may be counted in the store. So it is told again under its number, alone.
    private(set) var unanswered: Telling.Batch?
    // Permits that are left, and those that reports hold.
    private(set) var left = Amount()
    private(set) var held = Amount()
    /// What the store has for given; nil when nobody knows, since it has not answered.
    private var given: Amount? = Amount()
    /// The permits that are left are good until then: the store forgets them later.
    private var goodUntil = MonotonicTime(nanoseconds: 0)
    /// Permits that come back are kept.
    private var isInUse = false
    private var hasMade = false

    /// True if the store is asked although nothing was counted.
    private var isAsked = false
    /// Whether the store is being told.
    private(set) var isTelling = false
    private var turn = 0

    // As the store said last.
    private var allUsers = 0
    private var allDevices = 0
    private var refusals: [(refusal: QuotaRefusal, until: MonotonicTime)] = []

    /// How long a gateway keeps to itself what it has counted, and permits that nobody uses.
    static let patience = TimeInterval.seconds(1)
    /// How long a gateway uses permits, and how long they count as used when it is not heard of any more: longer by
    /// more than a minute and all the time that a command may be under way.
    static let life = TimeInterval.seconds(20)
    static let kept = TimeInterval.seconds(120)
    /// How long the store knows what it has counted last of a gateway: longer than it may be away.
    static let remembered = TimeInterval.seconds(86_400)
    /// Permits beyond those that are needed: a twentieth of what a minute allows, and no more than this.
    private static let most = 4096

    struct Amount: Equatable, Sendable {
        var users = 0
        var devices = 0
    }

    /// What the store is told.
    struct Telling: Sendable {
        /// What is counted once, however often it is told.
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

    /// What it says.
    struct Answer {
        var users = 0
        var devices = 0
        var newDevices = 0
        /// More permits.
        var given = Amount()
        /// Of which limits nothing is left.
        var isShort: Set<TenantLimits.Limit> = []
        /// Until a minute's new devices are fewer than they may be; zero when they are.
        var wait = TimeInterval.zero
        var crossings: [QuotaCrossing] = []
        /// True if a gateway was lost that had counted for the tenant, and this one must recount.
        var isRecountDue = false
    }

    /// - Parameter limits: nil while they are not known.
    init(_ limits: TenantLimits?) {
        self.limits = limits ?? .standard
        knowsLimits = limits != nil
    }

    /// Limits of a report. When an operator has changed them, what the store has said by the former ones counts no
    /// more.
    mutating func hear(_ limits: TenantLimits) {
        knowsLimits = true
        guard limits != self.limits else { return }
        let changed = [TenantLimits.Limit.users, .devices, .newDevices].filter { limits[$0] != self.limits[$0] }
        self.limits = limits
        refusals.removeAll { changed.contains($0.refusal.limit) }
        if !changed.isEmpty { left = Amount() }
    }

    /// Nothing is lost when it is forgotten.
    var isBlank: Bool {
        counted == .nothing && unanswered == nil && held == Amount() && given == Amount() && !isTelling && !isAsked
    }

    /// Has the store asked within a second.
    mutating func ask() { isAsked = true }

    // MARK: Permits

    private var isLimited: Bool { limits[.users] > 0 || limits[.devices] > 0 || limits[.newDevices] > 0 }

    /// What a report may make. When that is less than it needs, `refusal` says whether it is worth asking the store.
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

    /// What an import may make: an operator's own doing, which no rate holds up and which needs no permits.
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

    /// How many users with a device each an import may make before a quota is used up.
    mutating func importRoom(_ limits: TenantLimits) -> Int {
        hear(limits)
        let devices = limits[.devices] > 0 ? limits[.devices] - allDevices - counted.devices : .max
        let users = limits[.users] > 0 ? limits[.users] - allUsers - counted.users : .max
        return min(devices, users)
    }

    /// Gives a permit back, and counts what was made by it.
    mutating func settle(_ permit: MakingPermit, _ made: Made) {
        add(made)
        guard permit.isHeld else { return }
        held.devices -= 1
        if permit.user { held.users -= 1 }
        guard isInUse else { return }
        if made.fresh == 0 { left.devices += 1 }
        if permit.user, made.users == 0 { left.users += 1 }
    }

    /// Users and devices came, or went.
    mutating func add(_ made: Made) {
        counted.users += made.users
        counted.devices += made.devices
        counted.fresh += made.fresh
        if made.fresh > 0 { hasMade = true }
    }

    /// Why a report gets no permit, as far as the store has said lately; nil: it is to be asked.
    /// - Parameter needsUser: else a device's is enough.
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

    /// Whether the permits that are left are so few, and used so fast, that more should be asked for now.
    func runsLow(now: MonotonicTime) -> Bool {
        isInUse && hasMade && !isTelling && left.devices * 2 < reserve && refusal(needsUser: false, now: now) == nil
    }

    /// Begins to tell the store.
    /// - Parameters:
    ///   - need: reports that wait for a permit.
    ///   - handsIn: permits that are left go back.
    mutating func tell(need: Int, handsIn: Bool, now: MonotonicTime) -> Telling {
        if handsIn { isInUse = false }
        if handsIn || now >= goodUntil { left = Amount() }
        isTelling = true
        isAsked = false
        // Grows also over a tally that was forgotten meanwhile.
        turn = max(turn + 1, Int(now.nanoseconds / 1000))
        let batch = unanswered ?? Telling.Batch(counted: counted, number: turn)
        if unanswered == nil { counted = .nothing }
        unanswered = batch
        let telling = Telling(
            limits: limits, knowsLimits: knowsLimits, batch: batch,
            // What is counted and not told yet was made by permits.
            keeps: Amount(
                users: left.users + held.users + max(0, counted.users),
                devices: left.devices + held.devices + max(0, counted.devices, counted.fresh)), need: need,
            wish: handsIn || need == 0 && !isInUse ? 0 : max(0, reserve - left.devices), turn: turn)
        given = nil
        return telling
    }

    /// The store has answered.
    /// - Parameter sentAt: when it was told.
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
            // What others hold comes back soon, if they do not use it.
            let wait = limit == .newDevices && answer.wait > .zero ? answer.wait : UsageTally.patience
            return (QuotaRefusal(limit: limit, wait: limit == .newDevices ? wait : nil), now + wait)
        }
    }

    /// The store has not answered, and may have counted what it was told.
    mutating func notTold() {
        isTelling = false
    }

    /// What is to be done a second after something was counted or given.
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
