import FCMCore
import TestSupport
import TimeCore

/// Gateways with one service account, the store that shares its access token, and the token endpoint. All run in one
/// thread, on one clock in milliseconds. Plain lists check the invariants independently of the policy.
struct AccessTokenWorld {
    struct Faults {
        /// The store has outages and loses answers.
        var outages = false
        /// The endpoint fails, refuses, or answers late or never.
        var failures = false
        /// FCM reports tokens as expired, at any age.
        var expiries = false
        /// Gateways are killed and restarted.
        var restarts = false
    }

    struct Token {
        let issuedAt: UInt64
        let madeAt: Int
        let expiresAt: Int
    }

    private struct Gateway {
        var policy = AccessTokenPolicy(sharesTokens: true)
        /// The reading of its monotonic clock when the world's clock is 0, in milliseconds.
        let clockOffset: Int
        let life: Int
        var token: Int?
        var pending: Int?
        var open: AccessTokenPolicy.Request?
        var calledExpired: Set<Int> = []
        var failedAt: Int?
        var wasUsable = false
    }

    private enum Event {
        case look, expiry, restart, storeToggle, endpointToggle
        case storeHears(AccessTokenPolicy.Request, life: Int)
        case storeAnswers(UInt32, StoreAnswer, life: Int)
        case endpointAnswers(UInt32, token: Int?, isRefused: Bool, life: Int)
    }

    private enum StoreAnswer {
        case shared(Int?)
        case lease(Bool)
        case offered, silence
    }

    private(set) var now = 0
    private(set) var complaints: [String] = []
    private(set) var tokens: [Token] = []
    /// Failed fetches, and expiry reports that had an effect.
    private(set) var failed = 0
    private(set) var replaced = 0
    /// Requests without a usable token after the first usable one.
    private(set) var waits = 0
    private var gateways: [Gateway] = []
    private var events: [(time: Int, gateway: Int, event: Event)] = []
    private var slot: (token: Int, until: Int, renewedAt: Int?)?
    private var lease: (gateway: Int, until: Int)?
    private var fetching: Set<Int> = []
    private var isStoreUp = true
    private var isEndpointUp = true
    private var isCalm = false
    private var random: SeededGenerator
    private let faults: Faults

    init(seed: UInt64, gateways count: Int, faults: Faults) {
        random = SeededGenerator(seed: seed)
        self.faults = faults
        for index in 0..<count {
            gateways.append(Gateway(clockOffset: Int.random(in: 0...1_000_000, using: &random), life: 0))
            later(0...60_000, index, .look)
            if faults.restarts { later(0...5_000_000, index, .restart) }
            if faults.expiries { later(0...600_000, index, .expiry) }
        }
        if faults.outages { later(0...5_000_000, 0, .storeToggle) }
        if faults.failures { later(0...5_000_000, 0, .endpointToggle) }
    }

    mutating func run(for milliseconds: Int) {
        let end = now + milliseconds
        while let index = events.indices.min(by: { events[$0].time < events[$1].time }), events[index].time <= end {
            let next = events.remove(at: index)
            now = next.time
            handle(next.event, next.gateway)
        }
        now = end
    }

    /// Ends all faults.
    mutating func calmDown() {
        (isCalm, isStoreUp, isEndpointUp) = (true, true, true)
        events.removeAll {
            switch $0.event {
            case .expiry, .restart, .storeToggle, .endpointToggle: true
            default: false
            }
        }
    }

    /// The token in use of each gateway; nil for a gateway without one.
    var inUse: [Int?] {
        gateways.indices.map { gateways[$0].policy.isUsable(now: clock($0)) ? gateways[$0].token : nil }
    }

    private mutating func later(_ delay: ClosedRange<Int>, _ gateway: Int, _ event: Event) {
        events.append((now + Int.random(in: delay, using: &random), gateway, event))
    }

    private mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &random) == 0 }

    private func clock(_ index: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(now + gateways[index].clockOffset) * 1_000_000)
    }

    private mutating func handle(_ event: Event, _ index: Int) {
        switch event {
        case .look: look(index)
        case .expiry:
            callExpired(index)
            later(0...600_000, index, .expiry)
        case .restart:
            let old = gateways[index]
            fetching.remove(index)
            gateways[index] = Gateway(clockOffset: old.clockOffset, life: old.life + 1)
            later(0...5_000_000, index, .restart)
        case .storeToggle:
            isStoreUp.toggle()
            later(isStoreUp ? 0...10_000_000 : 0...1_000_000, 0, .storeToggle)
        case .endpointToggle:
            isEndpointUp.toggle()
            later(isEndpointUp ? 0...10_000_000 : 0...3_000_000, 0, .endpointToggle)
        case .storeHears(let request, let life): storeHears(request, index, life)
        case .storeAnswers(let number, let answer, let life): storeAnswers(number, answer, index, life)
        case .endpointAnswers(let number, let token, let isRefused, let life):
            endpointAnswers(number, token, isRefused, index, life)
        }
    }

    // MARK: Gateways

    /// Requests a token for a push, and schedules the next request.
    private mutating func look(_ index: Int) {
        let request = gateways[index].policy.tokenRequested(now: clock(index))
        make(request, index)
        check(index)
        let wait = gateways[index].policy.nextLook - clock(index)
        later(0...min(60_000, max(1, Int(wait.millisecondsRoundedUp))), index, .look)
    }

    private mutating func check(_ index: Int) {
        let isUsable = gateways[index].policy.isUsable(now: clock(index))
        guard isUsable else {
            if gateways[index].wasUsable { waits += 1 }
            return
        }
        gateways[index].wasUsable = true
        guard let token = gateways[index].token else {
            complaints.append("gateway \(index) uses a token that it does not have")
            return
        }
        if tokens[token].expiresAt <= now { complaints.append("gateway \(index) uses a token beyond its time") }
        if gateways[index].calledExpired.contains(token) {
            complaints.append("gateway \(index) uses a token that was called expired")
        }
    }

    private mutating func callExpired(_ index: Int) {
        guard let token = gateways[index].token, gateways[index].policy.isUsable(now: clock(index)) else { return }
        // Other gateways take a shared token to be up to a second older than it is.
        let isYoung = now - tokens[token].madeAt < 58_000
        let epoch = gateways[index].policy.epoch
        if let request = gateways[index].policy.expiryReported(epoch: epoch, now: clock(index)) {
            if isYoung { complaints.append("gateway \(index) renews a token that is younger than a minute") }
            make(request, index)
        }
        guard !gateways[index].policy.isUsable(now: clock(index)) else {
            if !isYoung, tokens[token].madeAt + 70_000 < now {
                complaints.append("gateway \(index) keeps an expired token")
            }
            return
        }
        gateways[index].calledExpired.insert(token)
        replaced += 1
    }

    private mutating func make(_ request: AccessTokenPolicy.Request?, _ index: Int) {
        guard let request else { return }
        if gateways[index].open != nil { complaints.append("gateway \(index) makes two requests at once") }
        gateways[index].open = request
        let life = gateways[index].life
        guard request.kind == .fetch else {
            let isLost = faults.outages && !isCalm && chance(20)
            return later(
                0...100, index,
                isLost ? .storeAnswers(request.number, .silence, life: life) : .storeHears(request, life: life))
        }
        if let failedAt = gateways[index].failedAt, now - failedAt < 1_000 {
            complaints.append("gateway \(index) fetches again after \(now - failedAt) ms")
        }
        fetching.insert(index)
        if fetching.count > 1 { complaints.append("two gateways fetch at once") }
        let isBad = !isEndpointUp || (faults.failures && !isCalm && chance(4))
        if isBad {
            later(0...7_999, index, .endpointAnswers(request.number, token: nil, isRefused: chance(3), life: life))
        } else {
            // Some tokens have a short lifetime.
            let lifetime = faults.failures && chance(6) ? Int.random(in: 60...3_600, using: &random) : 3_600
            tokens.append(Token(issuedAt: seconds, madeAt: now, expiresAt: now + lifetime * 1_000))
            let token = tokens.count - 1
            later(
                20...(faults.failures ? 7_999 : 500), index,
                .endpointAnswers(request.number, token: token, isRefused: false, life: life))
        }
    }

    private var seconds: UInt64 { 1_700_000_000 + UInt64(now / 1_000) }

    private mutating func endpointAnswers(_ number: UInt32, _ token: Int?, _ isRefused: Bool, _ index: Int, _ life: Int)
    {
        guard gateways[index].life == life else { return }
        fetching.remove(index)
        gateways[index].open = nil
        guard let token else {
            failed += 1
            gateways[index].failedAt = now
            gateways[index].policy.fetchFailed(number, isRefused: isRefused, now: clock(index), random: random.next())
            if gateways[index].policy.isCredentialRefused != isRefused { complaints.append("refused or not") }
            if isStoreUp, lease?.gateway == index { lease = nil }
            return
        }
        let lifetime = (tokens[token].expiresAt - tokens[token].madeAt) / 1_000
        let decision = gateways[index].policy.fetched(
            number, issuedAt: tokens[token].issuedAt, lifetime: .seconds(lifetime), now: clock(index),
            random: random.next())
        gateways[index].pending = token
        follow(decision, token, index)
    }

    private mutating func follow(_ decision: AccessTokenPolicy.Decision, _ token: Int?, _ index: Int) {
        if decision.usesToken { gateways[index].token = token }
        make(decision.next, index)
        check(index)
    }

    private mutating func storeAnswers(_ number: UInt32, _ answer: StoreAnswer, _ index: Int, _ life: Int) {
        guard gateways[index].life == life, let open = gateways[index].open, open.number == number else { return }
        gateways[index].open = nil
        let time = clock(index)
        switch (open.kind, answer) {
        case (.lookUp, .shared(let token)):
            let answer = token.map { token in
                AccessTokenPolicy.SharedAnswer.token(
                    AccessTokenPolicy.Term(
                        issuedAt: tokens[token].issuedAt,
                        lifetime: .milliseconds(tokens[token].expiresAt - tokens[token].madeAt),
                        // The store's clock counts whole seconds.
                        age: .seconds(Int(seconds - tokens[token].issuedAt) + 1)))
            }
            follow(
                gateways[index].policy.sharedTokenAnswered(
                    number, answer ?? .nothing, now: time, random: random.next()),
                token, index)
        case (.lookUp, _):
            follow(
                gateways[index].policy.sharedTokenAnswered(number, .unavailable, now: time, random: random.next()), nil,
                index)
        case (.takeLease, .lease(let isTaken)):
            make(gateways[index].policy.leaseAnswered(number, isTaken ? .taken : .another, now: time), index)
        case (.takeLease, _): make(gateways[index].policy.leaseAnswered(number, .unavailable, now: time), index)
        default: gateways[index].policy.offerEnded(number)
        }
    }

    // MARK: The store

    private mutating func storeHears(_ request: AccessTokenPolicy.Request, _ index: Int, _ life: Int) {
        var answer = StoreAnswer.silence
        if isStoreUp {
            if let slot, slot.until <= now { self.slot = nil }
            switch request.kind {
            case .lookUp: answer = .shared(slot?.token)
            case .takeLease:
                let isFree = lease.map { $0.until <= now } ?? true
                if isFree { lease = (index, now + 10_000) }
                answer = .lease(isFree)
            case .offer(let offer):
                keep(offer, gateways[index].pending)
                answer = .offered
            case .fetch: complaints.append("the store is asked for a token")
            }
        }
        later(0...100, index, .storeAnswers(request.number, answer, life: life))
    }

    private mutating func keep(_ offer: AccessTokenPolicy.Offer, _ token: Int?) {
        guard let token else { return complaints.append("a token is offered that nobody has") }
        guard let slot else {
            self.slot = (token, now + Int(offer.usableFor) * 1_000, nil)
            return
        }
        let mayReplace =
            offer.replacing == tokens[slot.token].issuedAt
            && slot.renewedAt.map { now - $0 >= Int(AccessTokenPolicy.replacementInterval) * 1_000 } ?? true
        if mayReplace { self.slot = (token, now + Int(offer.usableFor) * 1_000, now) }
    }
}
