import APNsCore
import TestSupport

/// Gateways with one key, a store of shared tokens with outages, and the network between them. All run in one thread,
/// on one clock in milliseconds.
struct ProviderTokenWorld {
    struct Faults {
        var outages = false
        var expiries = false
        var clockSteps = false
        var restarts = true
    }

    /// A token that a gateway has begun to use.
    struct Use {
        let token: Int
        /// True if the store has confirmed the token as the shared one.
        let isShared: Bool
    }

    private struct Gateway {
        var policy = ProviderTokenPolicy(sharesTokens: true)
        var token: Int?
        var candidate: Int?
        /// The error of its clock, in seconds.
        var skew = 0
        /// The number of restarts of this gateway.
        var life = 0
        var heldSince: Int?
    }

    private enum Event {
        case request, expiry, restart, clockStep, toggle
        case arrival(ProviderTokenPolicy.Inquiry, candidate: Int?, life: Int)
        case reply(UInt32, ProviderTokenPolicy.Answer, token: Int?, life: Int)
        case patience(UInt32, life: Int)
    }

    private struct Slot {
        let token: Int
        let expiresAt: Int
        let renewedAt: Int?
    }

    static let start = 1_700_000_000_000
    private(set) var now = ProviderTokenWorld.start
    private(set) var isUp = true
    private(set) var uses: [Use] = []
    /// The times at which a fresh token became the shared one.
    private(set) var renewals: [Int] = []
    /// The number of tokens that replaced one that the provider had refused.
    private(set) var replacements = 0
    /// The violated invariants.
    private(set) var complaints: [String] = []

    private var gateways: [Gateway]
    private var slot: Slot?
    /// Indexed by token: the true time of its signature in milliseconds, and the time that it claims in seconds.
    private var tokens: [(signedAt: Int, issuedAt: UInt64)] = []
    private var events: [(time: Int, gateway: Int, event: Event)] = []
    private var random: SeededGenerator
    private let faults: Faults
    private var isCalm = false

    init(seed: UInt64, gateways count: Int, faults: Faults) {
        random = SeededGenerator(seed: seed)
        self.faults = faults
        gateways = (0..<count).map { _ in Gateway() }
        for index in 0..<count {
            gateways[index].skew = Int.random(in: -120...120, using: &random)
            later(0...60_000, index, .request)
            if faults.restarts { later(0...20_000_000, index, .restart) }
            if faults.expiries { later(0...20_000_000, index, .expiry) }
            if faults.clockSteps { later(0...40_000_000, index, .clockStep) }
        }
        if faults.outages { later(0...10_000_000, 0, .toggle) }
    }

    var tokensInUse: Set<Int> { Set(gateways.compactMap(\.token)) }

    mutating func run(for milliseconds: Int, afterEach look: (ProviderTokenWorld) -> Void = { _ in }) {
        let end = now + milliseconds
        while let index = events.indices.min(by: { events[$0].time < events[$1].time }), events[index].time <= end {
            let next = events.remove(at: index)
            now = next.time
            handle(next.event, next.gateway)
            look(self)
        }
        now = end
    }

    /// Ends the faults: the store stays up, and no gateway is idle.
    mutating func calmDown() {
        isUp = true
        isCalm = true
        events.removeAll {
            switch $0.event {
            case .toggle, .expiry, .restart, .clockStep: true
            default: false
            }
        }
    }

    private mutating func later(_ delay: ClosedRange<Int>, _ gateway: Int, _ event: Event) {
        events.append((now + Int.random(in: delay, using: &random), gateway, event))
    }

    private func clock(_ index: Int) -> UInt64 { UInt64(now / 1000 + gateways[index].skew) }

    private mutating func handle(_ event: Event, _ index: Int) {
        switch event {
        case .request:
            request(index)
            // Now and then a gateway has nothing to push for up to 100 minutes.
            let isIdle = !isCalm && Int.random(in: 0..<40, using: &random) == 0
            later(isIdle ? 0...6_000_000 : 0...60_000, index, .request)
        case .expiry:
            let epoch = gateways[index].policy.epoch
            let seconds = clock(index)
            if gateways[index].token != nil {
                carryOut(gateways[index].policy.expiryReported(epoch: epoch, now: seconds), index)
            }
            later(0...20_000_000, index, .expiry)
        case .restart:
            var fresh = Gateway()
            fresh.skew = gateways[index].skew
            fresh.life = gateways[index].life + 1
            gateways[index] = fresh
            later(0...20_000_000, index, .restart)
        case .clockStep:
            gateways[index].skew = Int.random(in: -9_000...9_000, using: &random)
            later(0...600_000, index, .request)
            later(0...40_000_000, index, .clockStep)
        case .toggle:
            isUp.toggle()
            later(isUp ? 0...30_000_000 : 0...4_000_000, 0, .toggle)
        case .arrival(let inquiry, let candidate, let life): exchange(inquiry, candidate, index, life)
        case .reply(let number, let answer, let token, let life): reply(number, answer, token, index, life)
        case .patience(let number, let life): patienceEnded(number, index, life)
        }
    }

    // MARK: Gateways

    private mutating func request(_ index: Int) {
        let seconds = clock(index)
        carryOut(gateways[index].policy.tokenRequested(now: seconds), index)
    }

    private mutating func carryOut(_ decision: ProviderTokenPolicy.Decision, _ index: Int) {
        switch decision {
        case .sign: complaints.append("gateway \(index) signs without asking")
        case .wait:
            if let since = gateways[index].heldSince, now - since > 250 {
                complaints.append("gateway \(index) holds pushes for \(now - since) ms")
            }
        case .useCurrent: checkAge(index)
        case .inquire(let inquiry):
            var offered: Int?
            switch inquiry.offer {
            case .fresh:
                tokens.append((now, inquiry.issuedAt))
                offered = tokens.count - 1
                gateways[index].candidate = offered
            case .current: offered = gateways[index].token
            case .nothing: break
            }
            let life = gateways[index].life
            if inquiry.holdsPushes {
                gateways[index].heldSince = now
                later(250...250, index, .patience(inquiry.number, life: life))
            }
            if isUp {
                later(0...100, index, .arrival(inquiry, candidate: offered, life: life))
            } else {
                later(0...2_000, index, .reply(inquiry.number, .unavailable, token: nil, life: life))
            }
        }
    }

    private mutating func checkAge(_ index: Int) {
        guard let token = gateways[index].token, !faults.clockSteps else { return }
        let age = (now - tokens[token].signedAt) / 1000
        if age > 3_600 + 240 { complaints.append("gateway \(index) uses a token that is \(age) s old") }
    }

    private mutating func follow(
        _ verdict: ProviderTokenPolicy.Verdict, _ shared: Int?, isShared: Bool, _ index: Int
    ) {
        gateways[index].heldSince = nil
        let token: Int?
        switch verdict {
        case .keepCurrent: return
        case .useOffer: token = gateways[index].candidate
        case .useShared: token = shared
        }
        guard let token else {
            complaints.append("gateway \(index) is to use a token that it does not have")
            return
        }
        gateways[index].token = token
        uses.append(Use(token: token, isShared: isShared))
    }

    private mutating func reply(
        _ number: UInt32, _ answer: ProviderTokenPolicy.Answer, _ token: Int?, _ index: Int, _ life: Int
    ) {
        guard gateways[index].life == life else { return }
        var answer = answer
        if case .other = answer, token == gateways[index].token { answer = .unchanged }
        let seconds = clock(index)
        let verdict = gateways[index].policy.answered(number, answer, now: seconds)
        let isShared = answer == .taken || verdict == .useShared
        follow(verdict, token, isShared: isShared, index)
    }

    private mutating func patienceEnded(_ number: UInt32, _ index: Int, _ life: Int) {
        guard gateways[index].life == life else { return }
        let seconds = clock(index)
        let verdict = gateways[index].policy.patienceEnded(number, now: seconds)
        if verdict != .keepCurrent { follow(verdict, nil, isShared: false, index) }
        gateways[index].heldSince = nil
        if gateways[index].policy.tokenRequested(now: seconds) == .wait {
            complaints.append("gateway \(index) holds pushes after its patience")
        }
    }

    // MARK: The store

    /// Executes one exchange in the store. Its answer may be lost.
    private mutating func exchange(
        _ inquiry: ProviderTokenPolicy.Inquiry, _ offered: Int?, _ index: Int, _ life: Int
    ) {
        var answer = ProviderTokenPolicy.Answer.unavailable
        var other: Int?
        if isUp {
            if let slot, slot.expiresAt <= now { self.slot = nil }
            if let slot, !mayReplace(slot, inquiry, offered) {
                other = slot.token
                answer = slot.token == offered ? .taken : .other(issuedAt: tokens[slot.token].issuedAt)
            } else if let offered {
                if inquiry.offer == .fresh { renewals.append(now) }
                if slot != nil { replacements += 1 }
                let usableFor = Int(inquiry.usableFor(now: clock(index))) * 1000
                slot = Slot(token: offered, expiresAt: now + usableFor, renewedAt: slot == nil ? nil : now)
                answer = .taken
            } else {
                answer = .nothing
            }
            if faults.outages, Int.random(in: 0..<50, using: &random) == 0 { answer = .unavailable }
        }
        later(0...100, index, .reply(inquiry.number, answer, token: other, life: life))
    }

    private func mayReplace(_ slot: Slot, _ inquiry: ProviderTokenPolicy.Inquiry, _ offered: Int?) -> Bool {
        guard offered != nil, inquiry.refused == tokens[slot.token].issuedAt else { return false }
        return slot.renewedAt.map { now - $0 >= 1_200_000 } ?? true
    }
}
