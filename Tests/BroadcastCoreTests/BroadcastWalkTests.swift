import APNsCore
import BroadcastCore
import Delivery
import TestSupport
import Testing
import TimeCore

@Suite("Random walks of a broadcast")
struct BroadcastWalkTests {
    @Test("Every device of every page has one final outcome, however the broadcast goes", arguments: 0..<60)
    func walk(number: Int) {
        let seed = TestSeed.current &+ UInt64(number)
        print("seed: \(seed)")
        var walk = BroadcastWalk(seed: seed)
        walk.run()
    }
}

/// Drives a broadcast at random and keeps counts of its own, by the provider's rules and not by the machine's code.
struct BroadcastWalk: ~Copyable {
    private struct Device: Hashable {
        let page: Int
        let index: Int
    }

    private enum Final: Equatable {
        case accepted, unknown, superseded
        case failed(String)
    }

    private var generator: SeededGenerator
    private let seed: UInt64
    private var configuration = BroadcastCore.Configuration()
    private var core: BroadcastCore
    private let event: PushEvent
    private var now = Stage.start
    private var sizes: [Int: Int] = [:]
    private var readPages: Set<Int> = []
    private var beingRead: [Int] = []
    private var unreadable = 0
    private var unreadableWhenStopped = 0
    private var unreadablePages = 0
    private var isHandedOver = false
    private var inFlight: [(tag: BroadcastCore.Tag, device: Device)] = []
    /// Devices that the store would know as perhaps sent something, and runs that it has not answered.
    private var noted: Set<Device> = []
    private var runs: [BroadcastCore.Run] = []
    private var sentAgainForbidden: Set<Device> = []
    private var lastReason: [Device: String] = [:]
    private var finals: [Device: Final] = [:]
    private var results: [PageResult] = []
    private var isStopped = false
    private var steps = 0

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        event = PushEvent.allCases.randomElement(using: &generator) ?? .start
        configuration.openPages = Int.random(in: 1...6, using: &generator)
        configuration.restingPages = Int.random(in: 0...6, using: &generator)
        configuration.restingDevices = Int.random(in: 0...20, using: &generator)
        configuration.alarm.most = Int.random(in: 50...200, using: &generator)
        configuration.backoff.longest = .seconds(Int.random(in: 1...60, using: &generator))
        let pages = Int.random(in: 0...25, using: &generator)
        for page in 0..<pages { sizes[page] = [0, 1, 7, 40, 90].randomElement(using: &generator) }
        core = BroadcastCore(event: event, pages: Array(0..<pages), configuration: configuration)
    }

    mutating func run() {
        while !core.isFinished {
            steps += 1
            guard steps < 200_000 else {
                Issue.record("the broadcast does not end, seed \(seed)")
                return
            }
            step()
            take(whole: Bool.random(using: &generator))
            isStopped = core.stopReason != nil
            #expect(core.inFlight == inFlight.count, "seed \(seed)")
        }
        check()
    }

    /// Takes the results. A released device is not noted any more.
    private mutating func take(whole: Bool) {
        let told = core.takeResults(whole: whole)
        for result in told {
            for index in result.released {
                let device = Device(page: result.number, index: Int(index))
                #expect(noted.remove(device) != nil, "released without a note, seed \(seed)")
                #expect(!sentAgainForbidden.contains(device), "released after it may have been delivered, seed \(seed)")
            }
        }
        results += told
    }

    private mutating func note() {
        take(whole: false)
        let limit = Int.random(in: 1...60, using: &generator)
        guard let run = core.runToNote(now: now, limit: limit) else { return }
        #expect(run.count <= limit, "seed \(seed)")
        for (page, indexes) in run.pages {
            for index in indexes {
                let isNew = noted.insert(Device(page: page, index: Int(index))).inserted
                #expect(isNew, "noted twice, seed \(seed)")
            }
        }
        runs.append(run)
    }

    private mutating func step() {
        if event == .start {
            if Int.random(in: 0..<3, using: &generator) == 0 { note() }
            if let run = runs.first, Int.random(in: 0..<3, using: &generator) == 0 {
                runs.removeFirst()
                if isHandedOver { core.runNotNoted(run) } else { core.runNoted(run) }
            }
        }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<10:
            if let page = core.pageToRead() {
                beingRead.append(page)
                take(whole: true)
                let held = readPages.count + unreadablePages - results.count { $0.isFinal } + beingRead.count
                #expect(held - resting <= configuration.openPages, "seed \(seed)")
            }
        case 10..<20:
            guard !beingRead.isEmpty else { return }
            let page = beingRead.remove(at: Int.random(in: 0..<beingRead.count, using: &generator))
            if isHandedOver, Bool.random(using: &generator) {
                core.pageNotRead()
            } else if Int.random(in: 0..<50, using: &generator) == 0 {
                unreadable += sizes[page] ?? 0
                if case .stopped = core.stopReason { unreadableWhenStopped += sizes[page] ?? 0 }
                core.pageUnreadable(page, devices: sizes[page] ?? 0)
                unreadablePages += 1
            } else {
                readPages.insert(page)
                core.pageRead(Stage.page(page, sizes[page] ?? 0))
            }
        case 20..<58: push()
        case 58..<95: answer()
        case 95..<99: now = now + .milliseconds(Int.random(in: 1...2000, using: &generator))
        default:
            guard core.stopReason == nil, Int.random(in: 0..<60, using: &generator) == 0 || steps > 20_000 else {
                return
            }
            let stopReasons: [BroadcastCore.StopReason] = [.superseded, .stopped(reason: "Stopped"), .handedOver]
            core.stop(stopReasons.randomElement(using: &generator) ?? .superseded)
            isHandedOver = core.stopReason == .handedOver
        }
    }

    /// Pages of which only devices are left that were refused, at most as many as may be.
    private var resting: Int {
        let ended = Set(results.filter(\.isFinal).map(\.number))
        return readPages.subtracting(ended).count { page in
            let left = (0..<(sizes[page] ?? 0)).map { Device(page: page, index: $0) }.filter { finals[$0] == nil }
            return left.count <= configuration.restingDevices
                && left.allSatisfy { device in
                    lastReason[device] != nil && !inFlight.contains { $0.device == device }
                }
        }
    }

    private mutating func push() {
        guard let tag = core.nextPush(now: now) else { return }
        #expect(!isStopped, "nothing is sent once stopped, seed \(seed)")
        let target = core.target(tag)
        let page = target.page
        let (token, index) = (Array(target.token), Int(target.index))
        let device = Device(page: page, index: index)
        #expect(token == Stage.token(page, index), "seed \(seed)")
        #expect(finals[device] == nil && !sentAgainForbidden.contains(device), "sent after its end, seed \(seed)")
        #expect(!inFlight.contains { $0.device == device }, "in flight twice, seed \(seed)")
        if Int.random(in: 0..<8, using: &generator) == 0 {
            core.pushRefused(tag)
            return
        }
        #expect(event != .start || noted.contains(device), "sent without a note, seed \(seed)")
        inFlight.append((tag, device))
    }

    private mutating func answer() {
        guard !inFlight.isEmpty else { return }
        let (tag, device) = inFlight.remove(at: Int.random(in: 0..<inFlight.count, using: &generator))
        let jitter = Double.random(in: 0..<1, using: &generator)
        let outcome: PushOutcome
        switch Int.random(in: 0..<1000, using: &generator) {
        case 0..<550: (outcome, finals[device]) = (.accepted, .accepted)
        case 550..<650: (outcome, finals[device]) = (Stage.badToken, .failed("BadDeviceToken"))
        case 650..<720:
            (outcome, finals[device]) = (Stage.rejected(410, .unregistered, since: 9), .failed("Unregistered"))
        case 720..<721:
            (outcome, finals[device]) = (Stage.rejected(400, .badPriority), .failed("BadPriority"))
        case 721..<850:
            outcome = Stage.lost
            if event == .start {
                finals[device] = .unknown
                sentAgainForbidden.insert(device)
            }
            lastReason[device] = "NoAnswer"
        default:
            outcome = Stage.busy
            if lastReason[device] != "NoAnswer" { lastReason[device] = "ServiceUnavailable" }
        }
        core.pushEnded(tag, outcome, now: now, jitter: jitter)
    }

    /// Invariants 1 and 3 by these counts, with the tally and the results of the pages.
    private func check() {
        let note = Comment(rawValue: "seed \(seed)")
        #expect(results.count { $0.isFinal } == readPages.count + unreadablePages, note)
        let results = results.filter { readPages.contains($0.number) }
        let whole = results.filter(\.isFinal).map(\.number)
        #expect(Set(whole) == readPages && whole.count == readPages.count, note)
        let left = results.reduce(0) { $0 + $1.left }
        #expect(isHandedOver || left == 0 && core.isIncomplete == false, note)
        let sum = results.reduce(into: (accepted: 0, failures: 0, superseded: 0)) { sum, result in
            sum.accepted += result.tally.accepted
            sum.failures += result.tally.failures
            sum.superseded += result.tally.superseded
        }
        #expect(sum.accepted == core.tally.accepted && sum.superseded == core.tally.superseded, note)
        #expect(sum.failures == core.tally.failures - unreadable, note)
        var finals = finals
        if core.stopReason == .superseded {
            for (device, reason) in lastReason where reason == "NoAnswer" {
                finals[device] = finals[device] ?? .unknown
            }
        }
        let devices = readPages.reduce(0) { $0 + (sizes[$1] ?? 0) }
        let failures = core.tally.failures - unreadable
        #expect(core.tally.accepted + failures + core.tally.superseded + left == devices, note)
        #expect(core.tally.failed["StoreUnavailable", default: 0] == unreadable - unreadableWhenStopped, note)
        #expect(core.tally.accepted == finals.values.count { $0 == .accepted }, note)
        #expect(core.tally.failed["unknown", default: 0] == finals.values.count { $0 == .unknown }, note)
        for page in readPages {
            let parts = results.filter { $0.number == page }
            let known = (0..<(sizes[page] ?? 0)).map { ($0, finals[Device(page: page, index: $0)]) }
            func indexes(_ final: Final) -> [UInt16] { known.filter { $0.1 == final }.map { UInt16($0.0) } }
            #expect(parts.flatMap(\.accepted).sorted() == indexes(.accepted), note)
            #expect(parts.flatMap(\.unknown).sorted() == indexes(.unknown), note)
            #expect(parts.flatMap(\.dead).map(\.index).sorted() == indexes(.failed("Unregistered")), note)
            #expect(parts.flatMap(\.quarantined).map(\.index).sorted() == indexes(.failed("BadDeviceToken")), note)
            let other = known.filter { $0.1 != .accepted && $0.1 != .unknown }.map { UInt16($0.0) }
            let rest = parts.flatMap(\.failed) + parts.flatMap(\.unsent)
            if core.stopReason == .superseded || isHandedOver {
                #expect(Set(rest).isSubset(of: other), note)
            } else {
                #expect(rest.sorted() == other, note)
            }
            let all = parts.flatMap { $0.accepted + $0.failed + $0.unknown + $0.unsent }
            #expect(Set(all).count == all.count, note)
        }
        if isHandedOver {
            // Devices that are left for another gateway are not in doubt.
            for device in noted { #expect(finals[device] != nil || sentAgainForbidden.contains(device), note) }
        }
    }
}
