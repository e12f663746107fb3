import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

@Suite("Ends that were noted but not recorded", .serialized)
struct UnrecordedEndTests {
    @Test("A device with such an end gets the end of its activity when it reports its token")
    func endedByActivity() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(2)
            try await stage.syncAll(0..<1, id)
            let activityID = try #require(UniqueID(id))
            let record = try #require(try await stage.store.activities.activity(activityID))
            // An end to some devices is noted, and then refused because the activity has ended.
            try await stage.store.roster.remember([0, 1], endedBy: .random(), in: record.activity)
            let end = try await stage.call("end", TestStage.body(id))
            #expect(end.status == 200 && end.accepted == 1, "\(end.text)")
            #expect(try await stage.sync(1, id).status == 200)
            #expect(await stage.mock.waitFor(pushes: 4, timeout: .seconds(60)))
            #expect(stage.pushes(.end).count == 2)
        }
    }
}
