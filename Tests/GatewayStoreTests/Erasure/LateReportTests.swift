import LiveActivity
import RedisClient
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Reports that come when nobody remembers the erasure any more")
struct LateReportTests {
    private static let token = [UInt8](repeating: 0xA1, count: 32)
    private static let topic = "derby"

    /// Carries out reports that were received `delay` ms ago by the wall clock. Their monotonic time is now, so the
    /// gateway's own checks do not find them late.
    private func outcomes(
        _ contents: [DeviceReport.Content], of key: DeviceKey, _ store: GatewayStore, _ stage: StoreStage,
        heldUpFor delay: Int64
    ) async throws -> [ReportAnswer.Outcome] {
        let (answers, answered) = AsyncStream<ReportAnswer>.makeStream()
        let queue = ReportQueue(store.reports, store.followers) { for answer in $0 { answered.yield(answer) } }
        let taken = WallTime(milliseconds: WallTime.now().milliseconds - delay)
        queue.carryOut(
            contents.enumerated().map { ticket, content in
                DeviceReport(
                    ticket: ticket, admission: stage.admission, device: key, content: content,
                    received: .init(wallTime: taken, monotonicTime: .now()))
            })
        var outcomes: [ReportAnswer] = []
        for await answer in answers {
            outcomes.append(answer)
            if outcomes.count == contents.count { break }
        }
        return withExtendedLifetime(queue) { outcomes.sorted { $0.ticket < $1.ticket }.map(\.outcome) }
    }

    private func isLate(_ outcome: ReportAnswer.Outcome) -> Bool {
        if case .late = outcome { true } else { false }
    }

    @Test(
        "Whoever was erased is not brought back by a report from before, however late it comes: it is to be sent again")
    func heldUp() async throws {
        try await StoreStage.run { stage in
            var rules = StoreRules()
            rules.reportLife = GatewayStore.reportLife
            let store = GatewayStore(redis: stage.redis, rules: rules)
            let write = TopicWrite(type: StoreStage.type, state: .upcoming, digest: [1])
            _ = try await store.topics.put(write, to: TopicID(tenantID: stage.tenant, name: Self.topic))
            let (erased, known) = (StoreStage.key(0), StoreStage.key(1))
            try await stage.addDevices(0..<2)
            let start = try await store.erasures.begin(erased.insiderID, tenantID: stage.tenant)
            try await stage.goOn(with: start.erasure)
            // Redis would delete the mark after fifteen seconds.
            _ = try await stage.redis.value(RedisCommand("DEL", Keys.erased(stage.tenant, erased.insiderID)))
            let contents: [DeviceReport.Content] = [
                .change(.device(StoreStage.device())), .change(.pushToStartToken(Self.token, type: nil)),
                .follow(topic: Self.topic, true),
            ]
            let late = try await outcomes(contents, of: erased, store, stage, heldUpFor: 12_000)
            #expect(late.allSatisfy(isLate), "\(late)")
            #expect(
                try await stage.keys("\(Keys.user(stage.tenant, erased.insiderID))*").allSatisfy { $0.contains(":x") })
            // Only the other user's token has an owner.
            let owned = try await stage.keys("fanfare:{o:*")
            #expect(owned.count == 1)

            // Late reports of known devices are carried out, and so are slightly late ones of unknown devices.
            let ofKnown = try await outcomes(Array(contents[..<2]), of: known, store, stage, heldUpFor: 12_000)
            #expect(!ofKnown.contains(where: isLate), "\(ofKnown)")
            let again = try await outcomes(contents, of: erased, store, stage, heldUpFor: 5000)
            #expect(!again.contains(where: isLate), "\(again)")
            #expect(try await store.devices.user(erased.insiderID, tenantID: stage.tenant)?.devices.count == 1)
        }
    }

    @Test("A wish that comes to its topic behind the erasure goes with the closing look, and later ones are not noted")
    func wishes() async throws {
        try await StoreStage.run { stage in
            let id = TopicID(tenantID: stage.tenant, name: Self.topic)
            let write = TopicWrite(type: StoreStage.type, state: .upcoming, digest: [1])
            _ = try await stage.store.topics.put(write, to: id)
            let user = StoreStage.key(0).insiderID
            func follow(_ reportedAt: WallTime, life: String = "") async throws -> RedisValue {
                try await stage.redis.value(
                    Scripts.followTopic(
                        topic: Keys.topic(id), due: Keys.due(id.shard), item: id.description, user: user, wish: "1",
                        reportedAt: reportedAt.milliseconds, now: stage.now.milliseconds, life: life
                    ).command)
            }
            func follows() async throws -> Bool {
                try await stage.backend.traces(of: [Array(user.utf8)], by: stage.redis).contains {
                    $0.hasPrefix(Keys.topic(id))
                }
            }
            let erasures = stage.store.erasures
            for isLater in [false, true] {
                try await stage.addDevices(0..<1)
                let before = stage.now
                stage.advance(.seconds(1))
                let start = try await erasures.begin(user, tenantID: stage.tenant)
                try await stage.goOn(with: start.erasure)
                stage.advance(.seconds(1))
                _ = try await follow(isLater ? stage.now : before)
                #expect(try await follows())
                try await erasures.look(start.erasure)
                #expect(try await follows() == isLater)
            }
            _ = try await stage.redis.value(RedisCommand("DEL", Keys.topic(id) + "/w"))
            let old = WallTime(milliseconds: WallTime.now().milliseconds - 12_000)
            #expect(try await follow(old, life: "10000").int == -1)
            #expect(try await !follows())
        }
    }

    @Test("What a report may have of time is over before an erasure is forgotten, by any of Redis's clocks")
    func bounds() {
        // Redis counts whole seconds here, and the clocks of a cluster's nodes may differ by some seconds.
        let slack = TimeInterval.seconds(1 + 2)
        #expect(GatewayStore.reportLife.nanoseconds + slack.nanoseconds <= ErasureQueue.remembered.nanoseconds)
        #expect(GatewayStore.reportLife > ReportQueue.patience)
    }
}
