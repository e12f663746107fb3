import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import Testing
import TimeCore

@Suite("Target devices", .serialized)
struct TargetingTests {
    @Test("Only devices that match both parts of a pair are started on, each once")
    func start() async throws {
        try await TestStage.run { stage in
            try await stage.addDevices(1500)
            let id = try await stage.register(1500)
            // Users 1 and 1400 by their own devices (one pair twice), user 2 by a foreign device, and a stranger.
            let mixed = #"{"insider_id":"user-2","udid":"\#(TestStage.key(3).udid)"},{"insider_id":"x","udid":"y"}"#
            let targets = "[\(TestStage.targets([1, 1400, 1])),\(mixed)]"
            let answer = try await stage.call("start", TestStage.body(id, more: #""target_devices":\#(targets)"#))
            #expect(answer.accepted == 2)
            #expect(answer.skipped("not_in_segment") == 2)
            let expected = [1, 1400].map { TestStage.hex(TestStage.startToken($0)) }
            #expect(stage.pushes(.start).map(\.token).sorted() == expected.sorted())
        }
    }

    @Test("Updates and ends go to the targets that have synced; the Live Activities of the others live on")
    func updateAndEnd() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(4)
            try await stage.syncAll(0..<3, id)
            func targets(_ numbers: [Int]) -> String { #""target_devices":[\#(TestStage.targets(numbers))]"# }
            let update = try await stage.call("update", TestStage.body(id, more: targets([0, 3])))
            #expect(update.accepted == 1)
            #expect(update.skipped("not_synced") == 1)
            let gate = try await stage.call("update", TestStage.body(id, more: targets([3])))
            #expect(gate.status == 409 && gate.code == "DEVICE_NOT_SYNCED")

            let end = try await stage.call("end", TestStage.body(id, more: targets([0, 3])))
            #expect(end.accepted == 1)
            let rest = try await stage.call("update", TestStage.body(id))
            #expect(rest.accepted == 2)
            #expect(rest.skipped("ended") == 1)
            #expect(rest.skipped("not_synced") == 1)
            // Device 3 was to be ended before it had synced: it is ended when it does.
            #expect(try await stage.sync(3, id).status == 200)
            #expect(await stage.mock.waitFor(pushes: 4 + 1 + 1 + 2 + 1, timeout: .seconds(10)))
            let ended = stage.pushes(.end).map(\.token).sorted()
            #expect(ended == [0, 3].map { TestStage.hex(TestStage.updateToken($0)) }.sorted())
        }
    }

    @Test("A dismissed Live Activity gets no further push")
    func dismissed() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<2, id)
            let key = TestStage.key(0)
            let body = #"{"insider_id":"\#(key.insiderID)","udid":"\#(key.udid)","activity_id":"\#(id)"}"#
            #expect(try await stage.report("POST", "dismissed", body).status == 200)
            let update = try await stage.call("update", TestStage.body(id))
            #expect(update.accepted == 1 && update.skipped("ended") == 1)
        }
    }
}
