import LiveActivity
import MockFeed
import TimeCore

/// The second act of the demo: a match from a feed. Half of the phones are on an uploaded list of followers. Some of
/// the others follow through their app while the match is live.
struct DemoMatch {
    private let stage: DemoStage
    private let observer: any DemoObserver
    private let listed: [DemoDevice]
    private let late: [DemoDevice]
    private let concurrency: Int
    /// The number of phones in the demo.
    private let count: Int
    private static let topic = "match"
    private static let act = DemoPhones.Act.match
    /// The maximum number of phones that follow through their app.
    private static let mostLate = 1000
    /// The time limit of a step.
    private static let patience = TimeInterval.seconds(600)

    init(_ stage: DemoStage, _ options: DemoOptions, _ observer: any DemoObserver) {
        self.stage = stage
        self.observer = observer
        concurrency = options.concurrency
        count = options.devices
        let phones = (0..<options.devices).map(DemoDevice.init)
        listed = phones.filter { $0.number.isMultiple(of: 2) }
        late = Array(phones.filter { !$0.number.isMultiple(of: 2) }.prefix(DemoMatch.mostLate))
    }

    struct Outcome {
        var broadcasts: [DemoReport.Broadcast]
        var checks: [DemoReport.Check]
        var wrongPhones: [String]
    }

    /// Plays the match from its announcement to its end.
    func run() async throws -> Outcome {
        let startsBefore = stage.providers.deliveries("start").map(\.count)
        try await announce()
        var broadcasts = [try await step("live", "start", starts(listed)) { tell("live", score: 0, "Kick-off") }]
        broadcasts.append(
            try await step("late fans", "start", starts(late)) {
                try await each(late) { try await stage.follow(DemoMatch.topic, $0.followBody) }
            })
        let id = try await stage.topic(DemoMatch.topic).member("activity_id")?.string ?? ""
        // Followers of a channel need not report.
        let reporting = (listed + late).filter { $0.isEligible && $0.kind != .followingIPhone }
        try await each(reporting) {
            try await stage.report("sync", $0.syncBody(DemoMatch.act, activityID: $0.knows(id)))
        }
        broadcasts.append(try await step("goal", "update", pushes()) { tell("live", score: 1, "Goal!") })
        broadcasts.append(try await step("full time", "end", pushes()) { tell("ended", score: 1, "Full time") })

        var checks = broadcasts.map { broadcast in
            let expected = broadcast.event == "start" ? broadcast.triggered : pushes()
            return DemoReport.Check(
                name: "\(broadcast.name): accepted by the providers", expected: expected, found: broadcast.accepted)
        }
        let tokens = zip(stage.providers.deliveries("start"), startsBefore).flatMap { $0.dropFirst($1) }.map(\.token)
        checks.append(
            DemoReport.Check(
                name: "phones of the match with 1 start push", expected: starts(listed) + starts(late),
                found: Dictionary(grouping: tokens) { $0 }.values.count { $0.count == 1 }))
        let ended = try await stage.topic(DemoMatch.topic).member("counts")?.member("ended")?.int64
        checks.append(
            DemoReport.Check(
                name: "phones of the match that were ended", expected: starts(listed) + starts(late),
                found: Int(ended ?? 0)))
        let fans = (listed + late).filter(\.isEligible)
        let shown = DemoPhones(count, stage.providers).check(
            "right Live Activity of the match", DemoMatch.act, #"{"home":1,"away":0}"#, isOver: true,
            on: fans)
        return Outcome(broadcasts: broadcasts, checks: checks + [shown.check], wrongPhones: shown.differences)
    }

    // MARK: Steps

    /// Adds the match to the feed and uploads the list of its followers.
    private func announce() async throws {
        tell("upcoming", score: 0, "Soon")
        let deadline = MonotonicTime.now() + DemoMatch.patience
        while try await stage.topic(DemoMatch.topic).member("state") == nil {
            guard MonotonicTime.now() < deadline else { throw DemoError("the gateway has not polled the feed") }
            try await Task.sleep(for: .milliseconds(50))
        }
        try await stage.setFollowers(DemoMatch.topic, listed.map(\.key.insiderID))
    }

    /// Sets the content of the feed.
    private func tell(_ state: String, score: Int, _ title: String) {
        stage.feed.set(
            MockFeedScript(
                topics: """
                    [{"topic":"\(DemoMatch.topic)","activity_type":"\(DemoMatch.act.rawValue)","state":"\(state)","content":{\
                    "title":"\(title)","message":"Home \(score), away 0","content_state":{"home":\(score),"away":0},\
                    "attributes":\(DemoMatch.act.attributes)}}]
                    """))
    }

    /// Runs a step and waits for the expected number of pushes.
    private func step(
        _ name: String, _ event: String, _ expected: Int, _ body: () async throws -> Void
    ) async throws -> DemoReport.Broadcast {
        observer.began(name, total: expected)
        let before = stage.providers.deliveries(event).map(\.count)
        let count = stage.providers.count(event)
        let (wallStart, start) = (UInt64(WallTime.now().milliseconds), MonotonicTime.now())
        try await body()
        while true {
            let done = stage.providers.count(event) - count
            observer.progressed(name, done: done)
            if done >= expected, try await stage.isQuiet(DemoMatch.topic) { break }
            guard MonotonicTime.now() < start + DemoMatch.patience else {
                throw DemoError("\(name): \(done) of \(expected) pushes received")
            }
            // A key may make a thousand calls a minute.
            try await Task.sleep(for: .milliseconds(done >= expected ? 200 : 20))
        }
        let entries = zip(stage.providers.deliveries(event), before).flatMap { $0.dropFirst($1) }
        let last = entries.map(\.time).max() ?? wallStart
        let result = DemoReport.Broadcast(
            name: name, event: event, triggered: expected, entries, since: wallStart,
            seconds: Double(last - min(last, wallStart)) / 1000)
        observer.progressed(name, done: entries.count)
        observer.ended(name, note: "accepted, the last after \(result.last) ms")
        return result
    }

    private func each(_ phones: [DemoDevice], _ body: @escaping @Sendable (DemoDevice) async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, phone) in phones.enumerated() {
                if index >= concurrency { try await group.next() }
                group.addTask { try await body(phone) }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Counts

    private func starts(_ phones: [DemoDevice]) -> Int { phones.count(where: \.isEligible) }

    /// Returns the number of pushes of an update or end. One push to the channel reaches all its followers.
    private func pushes() -> Int {
        let following = (listed + late).count { $0.kind == .followingIPhone }
        return starts(listed) + starts(late) - following + min(1, following)
    }
}
