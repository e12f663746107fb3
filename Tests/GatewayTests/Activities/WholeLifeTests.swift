import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import Testing
import TimeCore

@Suite("The whole life of a segment", .serialized)
struct WholeLifeTests {
    @Test("2,000 devices are pushed exactly once for each event, with the right headers and payload, in order of time")
    func wholeLife() async throws {
        try await TestStage.run { stage in
            let count = 2000
            try await stage.addDevices(count)
            let id = try await stage.register(count)

            let start = try await stage.call("start", TestStage.body(id))
            #expect(start.status == 200)
            #expect(start.accepted == count)
            #expect(start["failed"] == nil)
            #expect(start["skipped"]?.isEmptyObject == true)

            try await stage.syncAll(0..<count, id)
            for score in 1...3 {
                let content = #"{"content_state":{"home":\#(score),"away":0}}"#
                let update = try await stage.call("update", TestStage.body(id, content: content))
                #expect(update.status == 200)
                #expect(update.accepted == count)
                #expect(update["updates_this_hour"]?.int64 == Int64(score))
            }
            let last = #"{"home":3,"away":0,"over":true}"#
            let end = try await stage.call("end", TestStage.body(id, content: #"{"content_state":\#(last)}"#))
            #expect(end.status == 200)
            #expect(end.accepted == count)
            #expect(stage.phones().differences(0..<count, last, isOver: true) == [])
            #expect(try await stage.call("update", TestStage.body(id)).code == "NOT_FOUND")

            let expectedStarts = Set((0..<count).map { TestStage.hex(TestStage.startToken($0)) })
            let expectedUpdates = Set((0..<count).map { TestStage.hex(TestStage.updateToken($0)) })
            let starts = stage.pushes(.start)
            #expect(starts.count == count)
            #expect(Set(starts.map(\.token)) == expectedStarts)
            let updates = stage.pushes(.update)
            #expect(updates.count == 3 * count)
            for token in Dictionary(grouping: updates, by: \.token) {
                #expect(token.value.count == 3)
                let times = token.value.compactMap { $0.aps("timestamp")?.int64 }
                #expect(times.count == 3 && times == times.sorted() && Set(times).count == 3)
            }
            #expect(Set(updates.map(\.token)) == expectedUpdates)
            let ends = stage.pushes(.end)
            #expect(ends.count == count)
            #expect(Set(ends.map(\.token)) == expectedUpdates)
            let updateTimes = updates.compactMap { $0.aps("timestamp")?.int64 }
            let endTimes = ends.compactMap { $0.aps("timestamp")?.int64 }
            #expect(try #require(endTimes.min()) > #require(updateTimes.max()) && endTimes.count == count)

            try checkHeaders(starts + updates + ends, stage)
            try checkPayloads(starts, updates, ends)
        }
    }

    private func checkHeaders(_ pushes: [LedgerEntry], _ stage: TestStage) throws {
        var identifiers: Set<String> = []
        for push in pushes {
            #expect(push.header("apns-push-type") == "liveactivity")
            #expect(push.header("apns-topic") == "\(stage.mock.bundleID).push-type.liveactivity")
            #expect(push.header("apns-priority") == (push.event == .update ? "5" : "10"))
            #expect(Int64(push.header("apns-expiration") ?? "") ?? 0 > 0)
            #expect(push.header("authorization")?.hasPrefix("bearer ") == true)
            #expect(push.answer == .answered(status: 200, reason: nil))
            identifiers.insert(try #require(push.header("apns-id")))
        }
        #expect(identifiers.count == pushes.count)
    }

    private func checkPayloads(_ starts: [LedgerEntry], _ updates: [LedgerEntry], _ ends: [LedgerEntry]) throws {
        let start = try #require(starts.first)
        #expect(Set(starts.map(\.payload)).count == 1)
        #expect(start.aps("event")?.string == "start")
        #expect(start.aps("attributes-type")?.string == TestStage.type)
        #expect(start.aps("attributes").map { Array($0.slice) } == Array(#"{"m":1}"#.utf8))
        #expect(try start.aps("alert")?.member("title")?.string == "Kick-off")
        #expect(try start.aps("alert")?.member("body")?.string == "It begins")
        #expect(start.aps("input-push-token")?.int64 == 1)
        let update = try #require(updates.first)
        #expect(update.aps("event")?.string == "update")
        #expect(update.aps("alert") == nil)
        #expect(update.aps("attributes") == nil)
        #expect(update.aps("content-state")?.kind == .object)
        let end = try #require(ends.first)
        #expect(end.aps("event")?.string == "end")
        #expect(end.aps("content-state").map { Array($0.slice) } == Array(#"{"home":3,"away":0,"over":true}"#.utf8))
    }

    @Test("A device that reports its token after the end gets the end at once, and only once")
    func lateSync() async throws {
        try await TestStage.run { stage in
            let id = try await stage.started(3)
            #expect(try await stage.sync(0, id).status == 200)
            let end = try await stage.call("end", TestStage.body(id, content: #"{"content_state":{"over":1}}"#))
            #expect(end.accepted == 1)
            #expect(end.skipped("not_synced") == 2)
            let late = try await stage.sync(1, id)
            #expect(late.status == 200)
            #expect(late["activity_id"]?.string == id)
            #expect(await stage.mock.waitFor(pushes: 3 + 2, timeout: .seconds(10)))
            let pushes = stage.pushes(.end)
            #expect(pushes.map(\.token).sorted() == [0, 1].map { TestStage.hex(TestStage.updateToken($0)) }.sorted())
            // All ends are equal, and the newest state of each Live Activity.
            #expect(Set(pushes.map { Payload.restamped($0.payload, timestamp: 0) }).count == 1)
            let times = pushes.compactMap { $0.aps("timestamp")?.int64 }
            #expect(times == times.sorted() && Set(times).count == 2)
            // Its delivery status is written when the push is answered; from then on a further sync brings no further
            // end.
            let deadline = MonotonicTime.now() + .seconds(20)
            var status = try await stage.statusPage(id)[1]
            while status < 16, MonotonicTime.now() < deadline {
                status = try await stage.statusPage(id)[1]
            }
            #expect(try await stage.sync(1, id).status == 200)
            // A later push on this path has arrived, so an earlier end would have arrived as well.
            _ = try await stage.started(1)
            #expect(stage.pushes(.end).count == 2)
        }
    }
}
