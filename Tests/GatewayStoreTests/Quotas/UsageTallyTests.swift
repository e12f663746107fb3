import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Permits to make users and devices")
struct UsageTallyTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private let limits = {
        var limits = TenantLimits.standard
        limits.set(.newDevices, 100)
        return limits
    }()
    private let device = Made(users: 1, devices: 1, fresh: 1)

    /// A tally that asked for one device and was given more.
    private func filled(_ devices: Int, users: Int? = nil) -> UsageTally {
        var tally = UsageTally(limits)
        #expect(tally.take(limits, now: start) == .none)
        let telling = tally.tell(need: 1, handsIn: false, now: start)
        #expect(telling.need == 1 && telling.wish == 5)
        var answer = UsageTally.Answer()
        answer.given = .init(users: users ?? devices, devices: devices)
        tally.told(telling, answer, sentAt: start, now: start)
        return tally
    }

    @Test("Whoever is known gives the permit back; what was made is told, and counts as held until then")
    func settled() {
        var tally = filled(2)
        let first = tally.take(limits, now: start)
        let second = tally.take(limits, now: start)
        #expect(first.text == "u" && second.text == "u" && tally.take(limits, now: start).text == "")
        tally.settle(first, .nothing)
        tally.settle(second, device)
        #expect(tally.left == .init(users: 1, devices: 1) && tally.held == .init())
        let telling = tally.tell(need: 0, handsIn: false, now: start)
        #expect(telling.batch.counted == device && telling.keeps == .init(users: 1, devices: 1))
    }

    @Test("A device of a known user leaves the user's permit, and one without any makes devices of known users")
    func kinds() {
        var tally = filled(2, users: 1)
        let first = tally.take(limits, now: start)
        tally.settle(first, Made(users: 0, devices: 1, fresh: 1))
        #expect(tally.left == .init(users: 1, devices: 1))
        _ = tally.take(limits, now: start)
        tally = filled(1, users: 0)
        #expect(tally.take(limits, now: start).text == "d")
    }

    @Test("What nobody has used for a second goes back, also what reports held")
    func idle() {
        var tally = filled(3)
        let held = tally.take(limits, now: start)
        guard case .tells(handsIn: true) = tally.secondPassed() else {
            Issue.record("it keeps them")
            return
        }
        var telling = tally.tell(need: 0, handsIn: true, now: start)
        #expect(telling.keeps == .init(users: 1, devices: 1) && telling.wish == 0)
        tally.told(telling, .init(), sentAt: start, now: start)
        tally.settle(held, .nothing)
        #expect(tally.take(limits, now: start) == .none)
        guard case .tells = tally.secondPassed() else {
            Issue.record("the store still counts what was held")
            return
        }
        telling = tally.tell(need: 0, handsIn: true, now: start)
        #expect(telling.keeps == .init())
        tally.told(telling, .init(), sentAt: start, now: start)
        #expect(tally.isBlank)
        guard case .nothing = tally.secondPassed() else {
            Issue.record("there is nothing to tell")
            return
        }
    }

    @Test("Permits are used for as long as the store surely counts them, and no longer")
    func life() {
        var tally = filled(3)
        #expect(tally.take(limits, now: start + UsageTally.life).text == "")
        #expect(tally.tell(need: 1, handsIn: false, now: start + UsageTally.life).keeps == .init())
        // The life of a permit, the minute of the quota, and 30 s for commands and stalled gateways.
        let nanoseconds = [UsageTally.life, TenantUsage.window, .seconds(30)].map(\.nanoseconds).reduce(0, +)
        #expect(UsageTally.kept.nanoseconds >= nanoseconds)
    }

    @Test("A refusal holds as long as the store has said, and that of another limit lets in what is not of it")
    func refusals() {
        var tally = UsageTally(limits)
        var answer = UsageTally.Answer()
        answer.isShort = [.newDevices, .users]
        answer.wait = .seconds(40)
        tally.told(tally.tell(need: 1, handsIn: false, now: start), answer, sentAt: start, now: start)
        let later = start + .milliseconds(39_999)
        #expect(tally.refusal(needsUser: false, now: later) == QuotaRefusal(limit: .newDevices, wait: .milliseconds(1)))
        #expect(tally.refusal(needsUser: false, now: start + .seconds(40)) == nil)
        answer.isShort = [.users]
        tally.told(tally.tell(need: 1, handsIn: false, now: start), answer, sentAt: start, now: start)
        #expect(tally.refusal(needsUser: false, now: start) == nil)
        #expect(tally.refusal(needsUser: true, now: start) == QuotaRefusal(limit: .users, wait: nil))
        #expect(tally.refusal(needsUser: true, now: start + UsageTally.patience) == nil)
    }

    @Test("Limits that an operator has changed count at once: no refusal and no permit by the former ones is left")
    func changedLimits() {
        func changed(_ limit: TenantLimits.Limit, _ value: Int) -> TenantLimits {
            var limits = limits
            limits.set(limit, value)
            return limits
        }
        func refused() -> UsageTally {
            var tally = UsageTally(limits)
            var answer = UsageTally.Answer()
            answer.isShort = [.newDevices, .devices]
            answer.wait = .seconds(40)
            tally.told(tally.tell(need: 1, handsIn: false, now: start), answer, sentAt: start, now: start)
            return tally
        }
        let later = start + .milliseconds(10)
        var tally = refused()
        _ = tally.take(limits, now: later)
        #expect(tally.refusal(needsUser: false, now: later)?.limit == .devices)
        _ = tally.take(changed(.devices, 7), now: later)
        #expect(tally.refusal(needsUser: false, now: later)?.limit == .newDevices)
        tally = refused()
        _ = tally.take(changed(.newDevices, 200), now: later)
        #expect(tally.refusal(needsUser: false, now: later)?.limit == .devices)
        tally = filled(3)
        let permit = tally.take(limits, now: later)
        #expect(permit.device && tally.take(changed(.weight, 5), now: later).device)
        #expect(!tally.take(changed(.newDevices, 20), now: later).device)
        // The two permits in use are kept, and the third is given back.
        let telling = tally.tell(need: 0, handsIn: false, now: later)
        #expect(telling.keeps.devices == 2 && telling.limits[.newDevices] == 20)
    }

    @Test("What the store has not answered is told again under its number, and what was counted since comes behind it")
    func silence() {
        var tally = filled(2)
        let permit = tally.take(limits, now: start)
        tally.settle(permit, device)
        let telling = tally.tell(need: 0, handsIn: false, now: start)
        tally.add(device)
        tally.notTold()
        let again = tally.tell(need: 0, handsIn: false, now: start)
        #expect(again.turn > telling.turn)
        #expect(again.batch.number == telling.batch.number && again.batch.counted == device)
        // The repeated batch lacks the second device, so that one counts as held.
        #expect(again.keeps == .init(users: 2, devices: 2))
        tally.told(again, .init(), sentAt: start, now: start)
        #expect(!tally.isBlank)
        let next = tally.tell(need: 0, handsIn: false, now: start)
        #expect(next.batch.number > telling.batch.number && next.batch.counted == device)
        #expect(next.keeps == .init(users: 1, devices: 1))
    }

    @Test("In no order of reports, answers and silences do gateways make more than there is")
    func random() {
        var random = TestSeed.generator(1509)
        for _ in 0..<300 {
            var store = FakeStore(limit: 100)
            var gateways = (0..<3).map { Gateway(name: $0, tally: UsageTally(limits)) }
            for _ in 0..<400 {
                let index = Int.random(in: 0..<3, using: &random)
                gateways[index].step(Int.random(in: 0..<9, using: &random), &store, start, limits)
                #expect(store.executed <= 100 && store.told <= store.executed)
            }
        }
    }
}

/// The script's rules for one limit, and the numbers of devices made, reported or not.
private struct FakeStore {
    let limit: Int
    var told = 0
    var batches: [Int: Int] = [:]
    var leases: [Int: Int] = [:]
    var executed = 0
}

private struct Gateway {
    let name: Int
    var tally: UsageTally
    var held: [MakingPermit] = []
    var made: [MakingPermit] = []
    var telling: UsageTally.Telling?
    var answer: UsageTally.Answer?

    mutating func step(_ what: Int, _ store: inout FakeStore, _ now: MonotonicTime, _ limits: TenantLimits) {
        switch what {
        case 0, 1:
            let permit = tally.take(limits, now: now)
            if permit.device { held.append(permit) }
        case 2:
            // The device is made when the script runs, and counted when the reply comes.
            guard let permit = held.popLast() else { return }
            store.executed += 1
            made.append(permit)
        case 3:
            guard let permit = made.popLast() else { return }
            tally.settle(permit, Made(users: 1, devices: 1, fresh: 1))
        case 4:
            guard let permit = held.popLast() else { return }
            tally.settle(permit, .nothing)
        case 5:
            guard telling == nil else { return }
            telling = tally.tell(need: Int(store.executed % 3), handsIn: store.executed % 7 == 0, now: now)
        case 6:
            guard let telling, answer == nil else { return }
            if telling.batch.number > store.batches[name] ?? 0 {
                store.told += telling.batch.counted.fresh
                if telling.batch.counted != .nothing { store.batches[name] = telling.batch.number }
            }
            let others = store.leases.filter { $0.key != name }.values.reduce(0, +)
            let room = max(0, store.limit - store.told - others - telling.keeps.devices)
            var answer = UsageTally.Answer()
            let more = min(room, telling.need + min(telling.wish, room / 8))
            answer.given = .init(users: more, devices: more)
            store.leases[name] = telling.keeps.devices + more
            self.answer = answer
        default:
            guard let telling else { return }
            // An answer may be lost.
            if let answer, what == 7 {
                tally.told(telling, answer, sentAt: now, now: now)
            } else {
                tally.notTold()
            }
            (self.telling, self.answer) = (nil, nil)
        }
    }
}
