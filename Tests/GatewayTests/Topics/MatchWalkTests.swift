import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import MockKit
import Testing
import TimeCore

/// A random match over two gateways and a real store, with followers that come and go. The phones are simulated from
/// the provider's ledger.
///
/// 1. No phone is started while it shows the Live Activity.
/// 2. At rest, the followers of a live topic show its newest content, and no other phone shows it.
/// 3. At rest after an end, no phone shows it.
@Suite("A match", .serialized)
struct MatchWalkTests {
    @Test("Walks over all transitions and their races end as they should", arguments: [1, 2, 3, 29, 40] as [UInt64])
    func walk(seed: UInt64) async throws {
        try await TestStage.run(gateways: 2, configure: { $0.jobs.topics.interval = .milliseconds(200) }) { stage in
            var walk = try await MatchWalk(stage, seed: seed, phones: 12)
            for step in 0..<60 { try await walk.step(step) }
            try await walk.rest("the end")
            try await walk.finish()
        }
    }
}

private struct MatchWalk {
    let stage: TestStage
    var random: SplitMix64
    var crowd: MatchCrowd
    var state = "upcoming"
    var content = 0
    let seed: UInt64

    init(_ stage: TestStage, seed: UInt64, phones: Int) async throws {
        self.stage = stage
        self.seed = seed
        random = SplitMix64(state: seed)
        crowd = MatchCrowd(phones)
        try await stage.addDevices(phones)
        try await put()
    }

    mutating func step(_ number: Int) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: try await follow(true)
        case 25..<40: try await follow(false)
        case 40..<55:
            content += 1
            try await put()
        case 55..<65: try await syncSome()
        case 65..<70: try await dismiss()
        case 70..<78: try await change()
        case 78..<90: try await race()
        default: try await rest("step \(number)")
        }
        crowd.receive(stage.mock.ledgerEntries())
        #expect(crowd.violations == [], "seed \(seed), step \(number)")
    }

    private mutating func put() async throws {
        let gateway = Int.random(in: 0..<2, using: &random)
        let answer = try await stage.put("match", TestStage.topic(state, content), gateway: gateway)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private mutating func follow(_ follows: Bool) async throws {
        let number = Int.random(in: crowd.phones.indices, using: &random)
        let answer = try await stage.follow(number, "match", follows)
        #expect(answer.status == 200, "\(answer.text)")
        crowd.follows(number, follows)
    }

    private mutating func change() async throws {
        content += 1
        state = state == "live" ? "ended" : "live"
        try await put()
    }

    /// Changes the topic and its followers at the same moment.
    private mutating func race() async throws {
        content += 1
        let next = Bool.random(using: &random) ? state : state == "live" ? "ended" : "live"
        let numbers = Array(crowd.phones.indices.shuffled(using: &random).prefix(4))
        let (stage, body) = (stage, TestStage.topic(next, content))
        let wishes = numbers.map { _ in Bool.random(using: &random) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await stage.expect(stage.put("match", body, gateway: 1)) }
            for (number, wish) in zip(numbers, wishes) {
                group.addTask { try await stage.expect(stage.follow(number, "match", wish)) }
            }
            try await group.waitForAll()
        }
        for (number, wish) in zip(numbers, wishes) { crowd.follows(number, wish) }
        state = next
    }

    private mutating func syncSome() async throws {
        crowd.receive(stage.mock.ledgerEntries())
        for number in crowd.silent where Bool.random(using: &random) { try await sync(number) }
    }

    private mutating func sync(_ number: Int) async throws {
        guard let shown = crowd.phones[number].shown else { return }
        let answer = try await stage.sync(number, shown.activity, token: shown.token)
        // An end may have come first, and the activity may be over.
        #expect([200, 404].contains(answer.status), "\(answer.text)")
        crowd.synced(number)
    }

    private mutating func dismiss() async throws {
        crowd.receive(stage.mock.ledgerEntries())
        let showing = crowd.phones.indices.filter { crowd.phones[$0].shown?.isSynced == true }
        guard let number = showing.randomElement(using: &random), let shown = crowd.phones[number].shown else { return }
        let answer = try await stage.dismiss(number, #""activity_id":"\#(shown.activity)""#)
        #expect([200, 404].contains(answer.status), "\(answer.text)")
        // A dismissal after the end has no effect.
        guard answer.status == 200 else { return }
        crowd.dismissed(number)
        crowd.follows(number, false)
        // Dismissing an ended Live Activity is no unfollow, and the end may have come first.
        let topic = try await stage.setup.store.topics.topic(TopicID(tenantID: stage.tenant.tenantID, name: "match"))
        let isRunning = topic?.activityID?.description == shown.activity && topic?.isOver == false
        guard state != "live" || !isRunning else { return }
        #expect(try await stage.follow(number, "match", false).status == 200)
    }

    /// Waits until no push is under way and all phones have reported.
    mutating func rest(_ place: String) async throws {
        // The next scan finds followers without a Live Activity after an unfinished end.
        let limit = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < limit {
            try await stage.settled("match")
            try await stage.settled()
            crowd.receive(stage.mock.ledgerEntries())
            let silent = crowd.silent
            for number in silent { try await sync(number) }
            if silent.isEmpty, isAsItShouldBe == nil { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(crowd.violations == [], "seed \(seed), \(place)")
        if let complaint = isAsItShouldBe { Issue.record("seed \(seed), \(place): \(complaint)") }
    }

    /// The first difference from the expected state; nil if there is none.
    private var isAsItShouldBe: String? {
        for (number, phone) in crowd.phones.enumerated() {
            let wanted = state == "live" && phone.follows
            if wanted, phone.shown == nil { return "phone \(number) follows and shows nothing" }
            if !wanted, phone.shown != nil { return "phone \(number) shows \(phone.shown!.content), and should not" }
            if let shown = phone.shown, shown.content != "\(content).0" {
                return "phone \(number) shows \(shown.content), and the newest is \(content)"
            }
            if wanted, let difference = crowd.difference(number, #"{"n":\#(content).0}"#) {
                return "phone \(number) \(difference)"
            }
        }
        return nil
    }

    mutating func finish() async throws {
        if state == "live" {
            try await change()
            try await rest("full time")
        }
    }
}

extension TestStage {
    fileprivate func expect(_ answer: Answer) throws { try #require(answer.status == 200, "\(answer.text)") }
}
