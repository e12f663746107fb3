import Delivery
import LiveActivity
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Random walks of syncs")
struct SyncWalkTests {
    @Test("A sync ends once and as the world allows, and no token stays without its end or against a refusal")
    func walk() {
        var (steps, number) = (0, UInt64(0))
        while steps < 100_000 {
            var walk = SyncWalk(seed: TestSeed.current &+ number)
            walk.run()
            steps += walk.steps
            number += 1
        }
    }
}

/// A phone that reports again and again, in a world that changes between all steps of a sync.
struct SyncWalk: ~Copyable {
    private let seed: UInt64
    private var generator: SeededGenerator
    private(set) var steps = 0
    private var world: SyncWorld
    private var report: SyncWorld.Report
    private var machine = SyncMachine(SyncLookup(), tenantID: SyncWorld.tenant, token: nil, hasName: false)
    /// The commands that the store has not executed, and the replies that have not come; nil for those that are lost.
    private var commands: [SyncCommand] = []
    private var replies: [Result<SyncMachine.Reply?, StoreError>] = []
    private var login = 0
    private var seen = SyncWorld.Seen()
    private var ends: [SyncEnd] = []
    private var counts = Counts()
    private var written: SyncWorld.Spot?
    private var isRefused = false
    private var isAnswered = true

    private struct Counts {
        var commands = 0, writes = 0, published = 0, moves = 0, consents = 0, searches = 0, failures = 0
    }

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        world = SyncWorld(&generator)
        report = world.report(&generator)
    }

    static func key(_ login: Int) -> DeviceKey { DeviceKey(insiderID: "user-\(login)", udid: "phone") }

    private func check(_ holds: Bool, _ what: String) {
        if !holds { Issue.record("\(what), seed \(seed), \(report), \(ends), \(world)") }
    }

    private mutating func draw(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &generator) == 0 }

    mutating func run() {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            sync(isCalm: draw(2))
            // An app repeats a report that was not answered.
            if isAnswered, draw(2) { report = world.report(&generator) }
        }
        while world.pass(&generator) {}
        repeat { sync(isCalm: true) } while !isAnswered
        for spot in world.cells.keys where spot == written { check(!world.hasLeftToken(spot), "a token stays") }
    }

    private mutating func sync(isCalm: Bool) {
        (login, ends, counts, seen, written) = (0, [], Counts(), SyncWorld.Seen(), nil)
        world.hidden = nil
        let passed = world.passed
        seen.add(world, report)
        if draw(3) { world.known = [nil, nil] }
        if !isCalm, draw(3) { world.hasScript = false }
        begin()
        while !commands.isEmpty || !replies.isEmpty {
            steps += 1
            if !isCalm, draw(3) {
                world.change(&generator)
                if ends.isEmpty { seen.add(world, report) }
            }
            if replies.isEmpty || !commands.isEmpty && draw(2) { execute(isCalm: isCalm) } else { deliver() }
            guard counts.commands < 100 else {
                isAnswered = true
                return check(false, "the sync does not end")
            }
        }
        check(ends.count == 1, "\(ends.count) completions")
        let most = (world.isAndroid ? 5 : 3) + counts.searches + counts.consents
        check(counts.writes <= most, "\(counts.writes) writes")
        check(counts.moves <= 1 + counts.searches, "\(counts.moves) moves")
        conclude(isCalm: isCalm, hasPassed: world.passed > passed)
    }

    private mutating func begin() {
        var lookup = SyncLookup(type: report.type, isByTopic: report.reference == .topic)
        if report.reference == .search { lookup.otherPlaces = .ofOtherLogins }
        machine = SyncMachine(
            lookup, tenantID: SyncWorld.tenant, token: report.token.map(SyncWorld.bytes), hasName: report.name != .none)
        switch report.reference {
        case .id: reply(.activity(world.activities[0].id, world.known[0]))
        case .topic: send(.topic)
        case .search: send(.firstSearch)
        }
    }

    private mutating func send(_ command: SyncCommand...) {
        commands += command
        counts.commands += command.count
    }

    private mutating func execute(isCalm: Bool) {
        let command = commands.remove(at: world.isCluster ? Int.random(in: 0..<commands.count, using: &generator) : 0)
        if case .write = command, !world.hasScript {
            world.hasScript = true
            return commands.append(command)
        }
        let fails = !isCalm && draw(40)
        if fails { counts.failures += 1 }
        if fails, draw(2) { return replies.append(.failure(.unavailable("refused"))) }
        let reply = world.execute(command, login, report)
        replies.append(fails ? .failure(.unavailable("lost")) : .success(reply))
    }

    private mutating func deliver() {
        switch replies.remove(at: world.isCluster ? Int.random(in: 0..<replies.count, using: &generator) : 0) {
        case .success(let reply?): self.reply(reply)
        case .success(nil): act(machine.ended(.other(.notFound)))
        case .failure(let error): act(machine.ended(.failed(error)))
        }
    }

    private mutating func reply(_ reply: SyncMachine.Reply) {
        if case .device(let device?, _) = reply { isRefused = device.refusal != nil }
        act(machine.replied(reply, now: SyncWorld.now))
    }

    private mutating func act(_ action: SyncMachine.Action) {
        if case .wait = action { return }
        check(ends.isEmpty, "\(action) behind the completion")
        switch action {
        case .wait: break
        case .find(let id): reply(.activity(id, world.known[world.index(id)]))
        case .lookUp(let id, let known):
            send(.lookUp(id))
            if known == nil { send(.record(id)) }
        case .search(let known, let slot, let isElsewhere, _):
            counts.searches += 1
            send(.search(known, slot: slot, isElsewhere: isElsewhere))
        case .readUser: send(.user)
        case .write(let place):
            counts.writes += 1
            written = SyncWorld.Spot(login: login, activity: world.index(place.known.id))
            guard !world.isCluster else { return send(.write(place)) }
            send(.write(place), .device(place), .end(place))
        case .read(let place): send(.device(place), .end(place))
        case .ask(let question, let place):
            switch question {
            case .publish: counts.published += 1
            case .move: counts.moves += 1
            case .consent: counts.consents += 1
            default: break
            }
            send(.ask(question, place))
        case .begin(let login, let record, let slot):
            self.login = login == SyncWalk.key(1) ? 1 : 0
            machine = SyncMachine(
                SyncLookup(), tenantID: SyncWorld.tenant, token: report.token.map(SyncWorld.bytes),
                hasName: report.name != .none)
            guard let known = world.keep(world.index(record.activity.id)) else { return }
            reply(.place(known, slot: slot))
        case .finish(let end): ends.append(end)
        }
    }

    /// Judges the completion, and sends what it asks for unless the gateway is killed.
    private mutating func conclude(isCalm: Bool, hasPassed: Bool) {
        guard let end = ends.first else { return }
        isAnswered = true
        var spot = SyncWorld.Spot(login: login)
        let told: SyncWorld.Told
        switch end {
        case .failed:
            isAnswered = false
            return check(counts.failures > 0, "a failure of its own")
        case .noted: told = .recorded
        case .other(let outcome):
            if let place = outcome.place { spot.activity = world.index(place.record.activity.id) }
            told = outcome.told
        }
        check(seen.allows(told, in: world), "\(told) is not allowed by \(seen)")
        check(counts.published <= 1, "the event of a token comes twice")
        if !isCalm, draw(8) {
            isAnswered = false
            return
        }
        if case .noted = end, let written { checkToken(written, hasPassed: hasPassed) }
        switch told {
        case .end, .over(.some), .endAgain: world.push(spot)
        case .behind(let update): world.send(update, to: spot)
        default: break
        }
        if let written { check(!world.hasLeftToken(written), "a token stays without its end or against a refusal") }
    }

    /// A sync that is recorded has left the newest token in the cell, where the user was last read to allow pushes.
    private func checkToken(_ spot: SyncWorld.Spot, hasPassed: Bool) {
        guard !isRefused, let cell = world.cells[spot], cell.ended == nil else { return }
        if world.isAndroid {
            let isChanging = world.passes.contains {
                if case .registrationToken(spot.login) = $0 { true } else { false }
            }
            // After three newer tokens, the next report writes the newest one.
            if !isChanging, cell.token != nil, counts.writes < 4 {
                check(cell.token == world.logins[spot.login].registrationToken, "an old token")
            }
        } else if !hasPassed, let token = report.token, !cell.earlier.contains(token), report.name != .earlier {
            check(cell.token == token, "the token is not written")
        }
    }
}

extension SyncOutcome {
    fileprivate var place: (record: ActivityRecord, slot: UInt32)? {
        switch self {
        case .synced(let record, let slot, _), .behind(let record, let slot, _), .endedBefore(let record, let slot, _),
            .over(let record, let slot, _):
            (record, slot)
        default: nil
        }
    }

    fileprivate var told: SyncWorld.Told {
        switch self {
        case .notFound, .ambiguous: .notFound
        case .typeMismatch: .mismatch
        case .notStarted: .notStarted
        case .synced(_, _, nil): .recorded
        case .synced(_, _, let end?): .end(end)
        case .behind(_, _, let update): .behind(update.id)
        case .endedBefore(_, _, let reason): .endAgain(reason)
        case .over(_, _, let end): .over(end)
        }
    }
}
