import BroadcastCore
import Broadcasts
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Takeovers of killed and stopped gateways", .serialized)
struct TakeOverTests {
    /// The number of devices that the gateway that is gone had noted.
    private static let noted = 124

    /// A gateway that recorded a start, took its job, noted a run and was killed.
    private func startAndDie(_ stage: TestStage, _ count: Int) async throws -> BroadcastOrder {
        let (order, jobs) = try await stage.beginAndTake(count)
        _ = try await stage.store.jobs.open(jobs[0], order, owner: "dead")
        #expect(try await stage.note(Self.noted, order, owner: "dead") == .written)
        return order
    }

    @Test(
        "Another gateway finishes a killed gateway's start: pushes under way count as unknown, or are sent again",
        arguments: [UnknownRule.skip, .resend])
    func killedStart(rule: UnknownRule) async throws {
        try await TestStage.run(configure: { options in
            options.jobs.onUnknown = rule
            options.jobs.period = .seconds(1)
            options.jobs.limits.silence = .seconds(2)
        }) { stage in
            try await stage.addDevices(2000)
            let order = try await startAndDie(stage, 2000)
            let answer = try await stage.ended(order.id)
            #expect(answer["state"]?.string == "done")
            let unknown = rule == .skip ? Self.noted : 0
            #expect(answer["accepted"]?.int64 == Int64(2000 - unknown))
            #expect(answer.failed("unknown") == unknown)
            #expect(answer["total"]?.int64 == 2000)
            let pushes = stage.pushes(.start).filter {
                $0.header("apns-collapse-id") == order.activity.id.description
            }
            let tokens = pushes.map(\.token)
            #expect(tokens.count == 2000 - unknown && Set(tokens).count == tokens.count)
        }
    }

    @Test("A gateway that stops hands over at once: the other continues, and every device gets one start")
    func handOver() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.push.maximumConnections = 1 }) { stage in
            try await stage.addDevices(6000)
            let id = try await stage.register(6000)
            stage.mock.setScript(.slow(.milliseconds(100), streams: 100))
            let answer = try await stage.call(
                "start", TestStage.body(id), headers: ["Prefer": "respond-async"], gateway: 0)
            #expect(answer.status == 202 && answer.headers["location"]?.isEmpty == false)
            #expect(await stage.mock.waitFor(pushes: 1500, timeout: .seconds(60)))
            // Either gateway may have taken it: both are stopped in turn, and the first comes back in between.
            await stage.gateways[0].stop()
            let broadcast = try #require(answer.broadcastID)
            stage.mock.setScript(MockScript())
            let ended = try await stage.ended(broadcast, gateway: 1)
            #expect(ended["state"]?.string == "done" && ended["accepted"]?.int64 == 6000, "\(ended.text)")
            let tokens = stage.pushes(.start).map(\.token)
            #expect(tokens.count == 6000 && Set(tokens).count == 6000)
        }
    }

    @Test("The time of the first push is that of the gateway which began, also when it stops and another continues")
    func firstPush() async throws {
        try await TestStage.run(configure: { $0.push.maximumConnections = 1 }) { stage in
            try await stage.addDevices(2000)
            let id = try await stage.register(2000)
            stage.mock.setScript(.slow(.milliseconds(100), streams: 50))
            let answer = try await stage.call("start", TestStage.body(id), headers: ["Prefer": "respond-async"])
            let (broadcast, activity) = (try #require(answer.broadcastID), try #require(UniqueID(id)))
            #expect(await stage.mock.waitFor(pushes: 200, timeout: .seconds(60)))
            let pushed = WallTime.now()
            await stage.gateways[0].stop()
            stage.mock.setScript(MockScript())
            let successor = try await stage.startGateway()
            let store = stage.setup.store.broadcasts
            try await stage.eventually { try await store.broadcast(broadcast, in: activity)?.state == .done }
            let ended = try #require(try await store.broadcast(broadcast, in: activity))
            #expect(ended.counts.accepted == 2000)
            let first = try #require(ended.pushes?.first)
            #expect(first < pushed)
            await successor.stop()
        }
    }

    @Test("Ten updates in a second over two gateways: each device's last is the newest, and few are sent ten")
    func manyUpdates() async throws {
        try await TestStage.run(
            gateways: 2,
            configure: {
                $0.push.maximumConnections = 2
            }
        ) { stage in
            let count = 2000
            let id = try await stage.started(count)
            try await stage.syncAll(0..<count, id)
            stage.mock.setScript(.slow(.milliseconds(300), streams: 100))
            let recorded = try await stage.field("order", of: id).flatMap { Int($0) } ?? 0
            let began = ContinuousClock.now
            var takes = Duration.zero
            let answers = try await withThrowingTaskGroup(of: (Int, TestStage.Answer).self) { group in
                for number in 1...10 {
                    group.addTask {
                        (
                            number,
                            try await stage.call("update", TestStage.body(id, number: number), gateway: number % 2)
                        )
                    }
                    try await Task.sleep(for: .milliseconds(100))
                    // The store decides which one is the newest, not the clock: calls may overtake each other.
                    try await stage.eventually("update \(number) is not recorded") {
                        try await stage.field("order", of: id) == "\(recorded + number)"
                    }
                }
                takes = ContinuousClock.now - began
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for answer in answers.values {
                #expect(answer.status == 200, "\(answer.text)")
                // An update's last pushes are cancelled after a second when it is superseded.
                let unknown = answer.failed("unknown")
                #expect((answer.accepted ?? 0) + unknown + answer.skipped("superseded") == count, "\(answer.text)")
            }
            #expect(answers[10]?.accepted == count)
            let updates = stage.pushes(.update)
            // One leaves at once, then one in each second that has begun, and then the last.
            #expect(updates.count <= (Int(takes.components.seconds) + 3) * count)
            for (_, pushes) in Dictionary(grouping: updates, by: \.token) {
                let numbers = pushes.compactMap(\.contentNumber)
                #expect(numbers == numbers.sorted() && numbers.last == 10)
            }
        }
    }

    @Test("The waiting pushes of an older update are taken back")
    func takenBack() async throws {
        try await TestStage.run(configure: {
            $0.push.maximumConnections = 1
            $0.push.queueLimit = 1000
        }) { stage in
            var script = MockScript()
            script.streamLimit = .init(usual: 10)
            stage.mock.setScript(script)
            let id = try await stage.started(600)
            try await stage.syncAll(0..<600, id)
            script.latency = .fixed(.milliseconds(100))
            stage.mock.setScript(script)
            let older = try await stage.call("update", TestStage.body(id), headers: ["Prefer": "respond-async"])
            #expect(older.status == 202)
            #expect(await stage.mock.waitFor(pushes: 600 + 20, timeout: .seconds(30)))
            let newer = try await stage.call("update", TestStage.body(id))
            #expect(newer.accepted == 600, "\(newer.text)")
            // All of the older one were in the client's queue by then.
            #expect(stage.pushes(.update).count < 600 + 300)
            let ended = try await stage.read(try #require(older.headers["location"]))
            #expect(ended["state"]?.string == "superseded" && ended["total"]?.int64 == 600, "\(ended.text)")
        }
    }

    @Test("An older state is never sent after a newer one, also when the older update was to a target list")
    func listAndSegment() async throws {
        try await TestStage.run(gateways: 2, configure: { $0.push.maximumConnections = 1 }) { stage in
            let id = try await stage.started(3000)
            try await stage.syncAll(0..<3000, id)
            stage.mock.setScript(.slow(.milliseconds(50), streams: 100))
            // An answer at once means that it is recorded: so the numbers are in the order of the records.
            var broadcasts: [UniqueID] = []
            for number in 1...12 {
                let list = #""target_devices":[\#(TestStage.targets([number, 7, 2900]))]"#
                let body = TestStage.body(
                    id, content: TestStage.numberedContent(number), more: number % 3 == 0 ? "" : list)
                broadcasts.append(try await stage.begin("update", body, gateway: number % 2))
                try await Task.sleep(for: .milliseconds(30))
            }
            for broadcast in broadcasts { _ = try await stage.ended(broadcast) }
            for (_, pushes) in Dictionary(grouping: stage.pushes(.update), by: \.token) {
                let numbers = pushes.compactMap(\.contentNumber)
                #expect(numbers == numbers.sorted() && numbers.last == 12)
            }
        }
    }
}
