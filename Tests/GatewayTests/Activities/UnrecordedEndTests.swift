import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Ends that were noted but not recorded", .serialized)
struct UnrecordedEndTests {
    @Test("A device with a noted end gets the end of its activity when it reports its token")
    func endedByActivity() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<1, id)
            let activityID = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activityID))
            // An end to some devices is noted, and then refused because the activity has ended.
            try await stage.store.roster.remember([0, 1], endedBy: .random(), in: record.activity, isRecorded: false)
            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.status == 200 && end.accepted == 1, "\(end.text)")
            #expect(try await stage.sync(1, id).status == 200)
            #expect(await stage.mock.waitFor(pushes: 4, timeout: .seconds(60)))
            #expect(stage.pushes(.end).count == 2)
        }
    }

    @Test("A device with a noted end catches up while its activity runs")
    func catchesUp() async throws {
        try await TestStage.run(clock: TestClock()) { stage in
            let id = try await stage.started(3, options: #"{"catch_up":true}"#)
            try await stage.syncAll(0..<1, id)
            let activityID = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activityID))
            try await stage.store.roster.remember([1], endedBy: .random(), in: record.activity, isRecorded: false)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 1)
            // An end that was recorded still comes before an update.
            let targets = #""target_devices":[\#(TestStage.targets([0, 2]))]"#
            #expect(try await stage.call("end", TestStage.body(id, more: targets)).status == 200)
            // A later end that is not recorded leaves the recorded one pending.
            try await stage.store.roster.remember(
                [2], endedBy: .random(), in: record.activity, isRecorded: false)
            for number in [1, 2, 1] { #expect(try await stage.sync(number, id).status == 200) }
            try await stage.settled()
            func tokens(_ numbers: [Int]) -> [String] {
                numbers.map { TestStage.hex(TestStage.updateToken($0)) }.sorted()
            }
            #expect(stage.pushes(.update).map(\.token).sorted() == tokens([0, 1]))
            #expect(stage.pushes(.end).map(\.token).sorted() == tokens([0, 2]))
        }
    }
}
