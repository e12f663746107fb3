import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Testing
import TimeCore

/// What gateways of a former version have left in Redis is opened and gone on with: nobody is sent a start twice,
/// nothing is forgotten, and the counts are exact.
@Suite("A store of a former version", .serialized)
struct FormerStoreTests {
    /// Its first lines say which version has written it.
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Resources/former-store.txt").standardizedFileURL

    @Test("Every broadcast goes on where it was left, everybody is sent what is due, and the counts are exact")
    func former() async throws {
        try await goesOn(try FormerStore(String(contentsOf: Self.file, encoding: .utf8)))
    }

    /// With `FANFARE_WRITE_STORE=VERSION`, what is written down here is what the test above opens from then on.
    @Test("So it is with a store of this version, written down in the same way")
    func present() async throws {
        let version = ProcessInfo.processInfo.environment["FANFARE_WRITE_STORE"]
        let text = try await StoreWriter.write(version: version ?? "this version")
        if version != nil {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        try await goesOn(try FormerStore(text))
    }

    private func goesOn(_ store: FormerStore) async throws {
        let directory = "/tmp/fanfare-former-\(UniqueID.random())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await TestStage.run(redis: try store.redisOptions(in: directory), holding: store) { stage in
            try await halfSent(store, stage)
            try await someDevices(store, stage)
            try await lateEnds(store, stage)
            try await schedule(store, stage)
            try await healing(store, stage)
            try await registered(store, stage)
            try await running(store, stage)
            try await stage.settled()
            // Of everything together: nobody was sent a start twice.
            let starts = stage.pushes(.start).map { "\($0.token) \($0.header("apns-id")?.prefix(28) ?? "")" }
            #expect(Set(starts).count == starts.count)
        }
    }

    private func tokens(_ range: some Sequence<Int>, _ token: (Int) -> [UInt8]) -> Set<String> {
        Set(range.map { TestStage.hex(token($0)) })
    }

    /// Whoever had been noted and not answered may have the start: nobody is sent it again.
    private func halfSent(_ store: FormerStore, _ stage: TestStage) async throws {
        let answer = try await stage.ended(try store.id("half sent start"))
        #expect(answer["state"]?.string == "done" && answer["total"]?.int64 == 12, "\(answer.text)")
        #expect(answer["accepted"]?.int64 == 8 && answer.failed("unknown") == 4, "\(answer.text)")
        let id = try store.name("half started activity")
        #expect(try await stage.statuses(id) == [DeliveryStatus.startAccepted: 8, DeliveryStatus.startUnknown: 4])
        #expect(stage.pushes(.start).allSatisfy { $0.header("apns-collapse-id") != id })
        // A report clears up the doubt.
        try await stage.syncAll(StoreWriter.halfSent, id)
        #expect(try await stage.statuses(id) == [DeliveryStatus.startAccepted: 12])
        let update = try await stage.call("update", TestStage.body(id))
        #expect(update.accepted == 12, "\(update.text)")
    }

    private func someDevices(_ store: FormerStore, _ stage: TestStage) async throws {
        let answer = try await stage.ended(try store.id("update of some"))
        #expect(answer["state"]?.string == "done" && answer["total"]?.int64 == 2, "\(answer.text)")
        #expect(answer["accepted"]?.int64 == 2, "\(answer.text)")
        let identifier = try store.name("update of some").prefix(28)
        let pushes = stage.pushes(.update).filter { $0.header("apns-id")?.hasPrefix(identifier) == true }
        #expect(Set(pushes.map(\.token)) == tokens(StoreWriter.updated, TestStage.updateToken))
    }

    /// One was under way, the other is asked for by a report to come.
    private func lateEnds(_ store: FormerStore, _ stage: TestStage) async throws {
        let id = try store.name("ended activity")
        let tokens = [StoreWriter.endedLate, StoreWriter.silent].map { TestStage.hex(TestStage.updateToken($0)) }
        try await stage.eventually("the end that was under way is not sent") {
            stage.pushes(.end).map(\.token) == Array(tokens.prefix(1))
        }
        #expect(try await stage.sync(StoreWriter.silent, id).status == 200)
        try await stage.eventually("not all Live Activities are ended") {
            try await stage.read("/api/v1/live-activity/\(id)")["counts", "ended"]?.int64 == 3
        }
        #expect(stage.pushes(.end).map(\.token) == tokens)
    }

    /// What waits is sealed under the app's key.
    private func schedule(_ store: FormerStore, _ stage: TestStage) async throws {
        let id = try store.name("scheduled activity")
        let schedule = try store.name("schedule")
        let done = try await stage.ended(schedule: schedule, of: id)
        #expect(done.text("state") == "done" && done.text("name") == "half-time")
        let broadcast = try await stage.ended(try store.id("schedule"))
        #expect(broadcast["accepted"]?.int64 == 2 && broadcast["total"]?.int64 == 2, "\(broadcast.text)")
        let pushes = stage.pushes(.update).filter { $0.header("apns-id")?.hasPrefix(schedule.prefix(28)) == true }
        #expect(Set(pushes.map(\.token)) == tokens(StoreWriter.scheduled, TestStage.updateToken))
        for push in pushes {
            #expect(push.aps("content-state").map { String(decoding: $0.slice, as: UTF8.self) } == #"{"n": 1.0}"#)
        }
    }

    /// The Live Activity whose token the provider has called dead is shown again, with the newest content.
    private func healing(_ store: FormerStore, _ stage: TestStage) async throws {
        let id = try store.name("healing activity")
        try await stage.eventually("the lost Live Activity is not started again") {
            stage.pushes(.start).contains { $0.header("apns-collapse-id") == id }
        }
        let pushes = stage.pushes(.start).filter { $0.header("apns-collapse-id") == id }
        #expect(pushes.map(\.token) == [TestStage.hex(TestStage.startToken(StoreWriter.healing.lowerBound))])
        #expect(pushes[0].aps("content-state").map { String(decoding: $0.slice, as: UTF8.self) } == #"{"n": 2.0}"#)
        #expect(pushes[0].aps("attributes").map { String(decoding: $0.slice, as: UTF8.self) } == #"{"m":1}"#)
    }

    private func registered(_ store: FormerStore, _ stage: TestStage) async throws {
        let start = try await stage.call("start", TestStage.body(try store.name("registered activity")))
        #expect(start.accepted == 3, "\(start.text)")
        #expect(try await stage.users("vip") == 3)
        let body = #"{"activity_type":"\#(TestStage.type)","segment":"vip","ends_at":"\#(stage.endsAt())"}"#
        let answer = try await stage.call("register", body)
        let ofSegment = try await stage.call("start", TestStage.body(try #require(answer["activity_id"]?.string)))
        #expect(ofSegment.accepted == 3, "\(ofSegment.text)")
    }

    private func running(_ store: FormerStore, _ stage: TestStage) async throws {
        let id = try store.name("running activity")
        let start = try await stage.ended(try store.id("start of it"))
        #expect(start["state"]?.string == "done" && start["accepted"]?.int64 == 4, "\(start.text)")
        let update = try await stage.call("update", TestStage.body(id))
        #expect(update.accepted == 3 && update.skipped("not_synced") == 1, "\(update.text)")
        #expect(try await stage.sync(StoreWriter.running.upperBound - 1, id).status == 200)
        let end = try await stage.call("end", TestStage.body(id, content: nil))
        #expect(end.accepted == 4, "\(end.text)")
        let status = try await stage.read("/api/v1/live-activity/\(id)")
        #expect(status["state"]?.string == "DEAD" && status["counts", "ended"]?.int64 == 4, "\(status.text)")
    }
}
