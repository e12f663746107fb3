import BroadcastCore
import Broadcasts
import Delivery
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RosterCore
import ScrapedMetrics
import Testing
import TimeCore

@Suite("Sandbox and production devices in one segment", .serialized)
struct EnvironmentTests {
    /// Every third device is a developer's.
    private static func isSandbox(_ number: Int) -> Bool { number % 3 == 0 }

    private static let sandboxPage = RosterGeometry.pagesPerPartition * RosterGeometry.partitionsPerBand

    private func addDevices(_ count: Int, _ stage: TestStage) async throws {
        let batch = (0..<count).map { number in
            var phone = TestStage.phone
            phone.environment = Self.isSandbox(number) ? .sandbox : .production
            return (key: TestStage.key(number), device: phone, token: Optional(TestStage.startToken(number)))
        }
        try await stage.store.devices.importDevices(batch, tenantID: stage.tenant.tenantID)
    }

    private func counts(_ stage: TestStage, _ id: String) async throws -> [DeviceState: Int] {
        let answer = try await stage.status(id)
        var counts: [DeviceState: Int] = [:]
        for state in DeviceState.allCases {
            if let count = answer["counts", state.rawValue]?.int64, count > 0 { counts[state] = Int(count) }
        }
        return counts
    }

    /// All devices by udid with their states, and how often each was listed.
    private func listed(_ stage: TestStage, _ id: String) async throws -> (states: [String: String], count: Int) {
        var states: [String: String] = [:]
        var count = 0
        var cursor: String?
        repeat {
            let query = cursor.map { "&cursor=\($0)" } ?? ""
            let answer = try await stage.read("/api/v1/live-activity/\(id)/devices?limit=90\(query)")
            try #require(answer.status == 200, "\(answer.text)")
            for device in answer.elements("devices") {
                states[device.text("udid") ?? ""] = device.text("state")
                count += 1
            }
            cursor = answer["cursor"]?.string
        } while cursor != nil
        return (states, count)
    }

    /// Each of the devices got one push of the event since `before` pushes, and no other device did.
    private func expectPushes(
        _ event: MockPushEvent, to numbers: some Sequence<Int>, since before: Int = 0, _ stage: TestStage,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let tokens = stage.pushes(event).dropFirst(before).map(\.token).sorted()
        let expected = numbers.map {
            TestStage.hex(event == .start ? TestStage.startToken($0) : TestStage.updateToken($0))
        }.sorted()
        let isSame = tokens == expected
        #expect(isSame, "\(tokens.count) pushes in place of \(expected.count)", sourceLocation: location)
    }

    @Test("Each device gets its pushes through the URL of its environment only")
    func urls() async throws {
        try await TestStage.run { stage in
            let sandbox = try MockAPNs.start(MockAPNs.Options(directory: "\(stage.directory)/apns"))
            defer { sandbox.stop() }
            var options = stage.options
            options.sandboxURL = sandbox.url
            let gateway = try await Gateway.start(options, logger: TestStage.silent)
            let batch = (0..<30).map { number in
                var phone = TestStage.phone
                phone.environment = Self.isSandbox(number) ? .sandbox : .production
                return (key: TestStage.key(number), device: phone, token: Optional(TestStage.startToken(number)))
            }
            try await stage.setup.store.devices.importDevices(batch, tenantID: stage.tenant.tenantID)
            let id = try await stage.register(30)
            // The first gateway would take jobs as well.
            await stage.gateways[0].stop()
            let start = try await stage.call("start", TestStage.body(id), port: gateway.port)
            #expect(start.accepted == 30, "\(start.text)")
            func tokens(_ isSandbox: Bool) -> [String] {
                (0..<30).filter { Self.isSandbox($0) == isSandbox }.map { TestStage.hex(TestStage.startToken($0)) }
                    .sorted()
            }
            #expect(stage.mock.acceptedByToken().keys.sorted() == tokens(false))
            #expect(sandbox.acceptedByToken().keys.sorted() == tokens(true))
            await gateway.stop()
        }
    }

    @Test("Both kinds are registered, started, synced, updated, targeted and ended together, with exact counts")
    func wholeLife() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await addDevices(300, stage)
            let id = try await stage.register(200)
            let more = """
                {"activity_id":"\(id)","activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(190..<300))]}
                """
            #expect(try await stage.call("add-users", more).status == 200)
            let gone = """
                {"activity_id":"\(id)","activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<6))]}
                """
            #expect(try await stage.call("remove-users", gone).status == 200)
            let registered = try await stage.status(id)
            #expect(registered["users"]?.int64 == 294 && registered["devices"]?.int64 == 294)
            let record = try #require(UniqueID(id))
            let slots = try #require(try await stage.store.activities.activity(record)).slots
            #expect(slots.pages == [0, Self.sandboxPage] && slots.count == 300)

            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 294, "\(start.text)")
            expectPushes(.start, to: 6..<300, stage)
            #expect(try await counts(stage, id) == [.pending: 294])
            let delivery = try await stage.read(
                "/api/v1/live-activity/broadcasts/\(start["broadcast_id"]?.string ?? "")", gateway: 1)
            #expect(delivery["total"]?.int64 == 294 && delivery["accepted"]?.int64 == 294, "\(delivery.text)")
            #expect(delivery["state"]?.string == "done")

            try await stage.syncAll(6..<250, id)
            #expect(try await counts(stage, id) == [.pending: 50, .active: 244])
            let update = try await stage.call("update", TestStage.body(id), gateway: 1)
            #expect(update.accepted == 244 && update.skipped("not_synced") == 50, "\(update.text)")
            expectPushes(.update, to: 6..<250, stage)

            // To both, to either, and to one that has not synced.
            let both = [9, 10, 12, 13, 14, 251]
            for targets in [both, [10, 13], [9, 12, 15]] {
                let before = stage.pushes(.update).count
                let list = #""target_devices":[\#(TestStage.targets(targets))]"#
                let answer = try await stage.call("update", TestStage.body(id, more: list))
                let synced = targets.filter { $0 < 250 }
                #expect(answer.accepted == synced.count, "\(answer.text)")
                #expect(answer.skipped("not_synced") == targets.count - synced.count, "\(answer.text)")
                expectPushes(.update, to: synced, since: before, stage)
            }
            let some = #""target_devices":[\#(TestStage.targets([6, 7, 8]))]"#
            #expect(try await stage.call("end", TestStage.body(id, more: some)).accepted == 3)
            #expect(try await stage.dismiss(9, #""activity_id":"\#(id)""#).status == 200)
            #expect(try await counts(stage, id) == [.pending: 50, .active: 240, .ended: 4])
            let (states, count) = try await listed(stage, id)
            #expect(count == 294)
            for number in 6..<300 {
                let expected = number < 10 ? "ended" : number < 250 ? "active" : "pending"
                #expect(states[TestStage.key(number).udid] == expected, "\(number)")
            }

            let end = try await stage.call("end", TestStage.body(id), gateway: 1)
            #expect(end.accepted == 240 && end.skipped("ended") == 4 && end.skipped("not_synced") == 50, "\(end.text)")
            expectPushes(.end, to: Array(6..<9) + Array(10..<250), stage)
            // One of each reports its Live Activity only now.
            for number in [250, 252] { #expect(try await stage.sync(number, id).status == 200) }
            #expect(await stage.mock.waitFor(pushes: 294 + 244 + 5 + 2 + 3 + 3 + 240 + 2, timeout: .seconds(20)))
            expectPushes(.end, to: Array(6..<9) + Array(10..<251) + [252], stage)
        }
    }

    @Test("A phone whose app changes to a developer's build is updated and ended through the sandbox, once")
    func change() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            try await stage.syncAll(0..<3, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 3)
            let device = """
                {\(TestStage.key(1).fields),"platform":"ios","os_version":"18.1",
                 "push_opt_in":true,"gdpr_consent":true,"environment":"sandbox"}
                """
            #expect(try await stage.report("PUT", "device", device).status == 200)
            #expect(try await stage.sync(1, id, token: [7, 7, 7]).status == 200)
            let activity = try #require(UniqueID(id))
            let read = try #require(try await stage.store.activities.activity(activity))
            #expect(read.slots.pages == [0, Self.sandboxPage] && read.devices == 3)
            #expect(try await counts(stage, id) == [.active: 3])
            let (states, count) = try await listed(stage, id)
            #expect(count == 3 && states.count == 3)
            let before = stage.pushes(.update).count
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 3)
            let list = #""target_devices":[\#(TestStage.targets([1]))]"#
            #expect(try await stage.call("update", TestStage.body(id, more: list)).accepted == 1)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 3)
            let others = [0, 2].map { TestStage.hex(TestStage.updateToken($0)) }
            let updated = stage.pushes(.update).dropFirst(before).map(\.token).sorted()
            #expect(updated == (others + ["070707", "070707"]).sorted())
            #expect(stage.pushes(.end).map(\.token).sorted() == (others + ["070707"]).sorted())
        }
    }

    @Test("The newest of several overlapping updates reaches all devices of both bands")
    func manyUpdates() async throws {
        try await TestStage.run(gateways: 2) { stage in
            try await addDevices(2000, stage)
            let id = try await stage.register(2000)
            #expect(try await stage.call("start", TestStage.body(id)).accepted == 2000)
            try await stage.syncAll(0..<2000, id)
            stage.mock.setScript(.slow(.milliseconds(50), streams: 100))
            let answers = try await withThrowingTaskGroup(of: TestStage.Answer.self) { group in
                for number in 1...6 {
                    group.addTask {
                        try await stage.call("update", TestStage.body(id, number: number), gateway: number % 2)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers {
                #expect((answer.accepted ?? 0) + answer.skipped("superseded") == 2000, "\(answer.text)")
            }
            #expect(answers.contains { $0.accepted == 2000 })
            #expect(Set(stage.pushes(.update).map(\.token)).count == 2000)
        }
    }

    @Test("A broadcast with nearly all sandbox tokens refused stops for the sandbox alone")
    func stopOfOneKind() async throws {
        try await TestStage.run { stage in
            try await addDevices(900, stage)
            let sandbox = (0..<900).filter(Self.isSandbox)
            let id = try await stage.register(900)
            var script = MockScript()
            script.streamLimit = .init(usual: 20)
            // Long after the last rejection.
            script.latency = .fixed(.milliseconds(100))
            script.rules = [
                MockRule(
                    .init(tokens: Set(sandbox.map { TestStage.hex(TestStage.startToken($0)) })),
                    .answer(status: 400, reason: "BadDeviceToken"), latency: MockLatency.none)
            ]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 600, "\(start.text)")
            #expect(start.failed("BadDeviceToken") == sandbox.count, "\(start.text)")
            // The start did not try all sandbox devices.
            let tried = Set(stage.pushes(.start).map(\.token)).count - 600
            #expect((20..<sandbox.count).contains(tried), "\(tried)")
            let delivery = try await stage.ended(try #require(start.broadcastID))
            #expect(delivery["state"]?.string == "failed" && delivery["total"]?.int64 == 900, "\(delivery.text)")
        }
    }

    @Test(
        "A start to a list of both, killed in either half, is finished by another gateway without a second start",
        arguments: [0, 1])
    func takeOver(half: Int) async throws {
        try await TestStage.run(configure: { options in
            options.jobs.period = .seconds(1)
            options.jobs.limits.silence = .seconds(2)
        }) { stage in
            try await addDevices(600, stage)
            let order = try await startAndDie(stage, half)
            let answer = try await stage.ended(order.id)
            #expect(answer["state"]?.string == "done", "\(answer.text)")
            #expect(answer["accepted"]?.int64 == 540 && answer.failed("unknown") == 60, "\(answer.text)")
            let tokens = stage.pushes(.start).filter {
                $0.header("apns-collapse-id") == order.activity.id.description
            }.map(\.token)
            #expect(tokens.count == 540 && Set(tokens).count == 540)
            let left = Set((0..<600).map { TestStage.hex(TestStage.startToken($0)) }).subtracting(tokens)
            let noted = (0..<600).filter { Self.isSandbox($0) == (half == 1) }.map { TestStage.startToken($0) }
            #expect(left.isSubset(of: noted.map(TestStage.hex)))
        }
    }

    /// A gateway that recorded the start, took its jobs, noted devices of one of them and was killed.
    private func startAndDie(_ stage: TestStage, _ half: Int) async throws -> BroadcastOrder {
        for _ in 0..<20 {
            let id = try #require(UniqueID(try await stage.register(600)))
            let record = try #require(try await stage.store.activities.activity(id))
            var draft = TestStage.startDraft()
            draft.scope = .slots(record.slots.ranges.flatMap { Array($0) })
            let order = try await stage.store.broadcasts.begin(draft, for: record).get()
            let jobs = try await stage.take(order)
            // The gateway of the stage takes jobs as well, and may have been faster.
            guard jobs.map(\.part) == [.list(.apns), .list(.apnsSandbox)] else { continue }
            for job in jobs { _ = try await stage.store.jobs.open(job, order, owner: "dead") }
            let page = order.pages(of: jobs[half].part)[0]
            #expect(try await stage.note(60, page: page, order, owner: "dead") == .written)
            return order
        }
        throw NeverFirst()
    }

    @Test("Tokens of another environment are recognized by their share, named in the reply, and kept")
    func wrongEnvironment() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(300)
            let id = try await stage.register(300)
            func tokens(_ numbers: some Sequence<Int>) -> Set<String> {
                Set(numbers.map { TestStage.hex(TestStage.startToken($0)) })
            }
            var script = MockScript()
            script.rules = [
                MockRule(
                    .init(tokens: tokens(stride(from: 0, to: 270, by: 3))),
                    .answer(status: 400, reason: "BadDeviceToken")),
                MockRule(
                    .init(tokens: tokens(stride(from: 1, to: 31, by: 3))), .answer(status: 410, reason: "Unregistered")),
            ]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.accepted == 200 && start.failed("BadDeviceToken") == 90, "\(start.text)")
            #expect(start["warnings"]?.elements.map(\.string) == ["WRONG_ENVIRONMENT"], "\(start.text)")
            let broadcast = start["broadcast_id"]?.string ?? ""
            let read = try await stage.read("/api/v1/live-activity/broadcasts/\(broadcast)")
            #expect(read["warnings"]?.elements.map(\.string) == ["WRONG_ENVIRONMENT"], "\(read.text)")
            let metrics = try await stage.metrics(finished: 1)
            #expect(metrics.value("fanfare_broadcast_wrong_environment_total", ["cohort": "apns"]) == 1)
            stage.mock.setScript(MockScript())
            // The dead ones are gone; of the others all may be tried again.
            let next = try await stage.register(300)
            #expect(try await stage.call("start", TestStage.body(next)).accepted == 290)
        }
    }

    @Test("A few refused tokens are set aside each, without a warning")
    func fewRefused() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(300)
            let id = try await stage.register(300)
            var script = MockScript()
            let bad = Set(stride(from: 0, to: 300, by: 15).map { TestStage.hex(TestStage.startToken($0)) })
            script.rules = [MockRule(.init(tokens: bad), .answer(status: 400, reason: "BadDeviceToken"))]
            stage.mock.setScript(script)
            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.failed("BadDeviceToken") == 20 && start["warnings"] == nil, "\(start.text)")
            stage.mock.setScript(MockScript())
            let next = try await stage.register(300)
            #expect(try await stage.call("start", TestStage.body(next)).accepted == 280)
        }
    }
}
