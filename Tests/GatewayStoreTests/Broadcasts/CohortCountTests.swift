import Delivery
import LiveActivity
import RedisClient
import Testing

@testable import GatewayStore

@Suite("Counts by cohort")
struct CohortCountTests {
    private func counts(_ accepted: Int, _ failed: [String: Int] = [:]) -> BroadcastCounts {
        var counts = BroadcastCounts()
        counts.accepted = accepted
        counts.failed = failed
        return counts
    }

    @Test("They are told of several kinds of destination and of channels; the text in the record says the same")
    func told() {
        var cohorts = CohortCounts()
        cohorts.add(counts(3, ["BadDeviceToken": 1]), of: .apns)
        cohorts.add(counts(2), of: .apns)
        // Devices that are only skipped are not addressed.
        cohorts.add(counts(0), of: .fcm)
        #expect(cohorts.told.isEmpty && cohorts.text.isEmpty)
        cohorts.add(counts(0, ["UNREGISTERED": 2]), of: .fcm)
        #expect(cohorts.text == "apns=6/5,fcm=2/0")
        #expect(CohortCounts(cohorts.text) == cohorts)
        #expect(cohorts.told.map(\.cohort) == [.apns, .fcm])
        var channel = CohortCounts()
        channel.add(counts(1), of: .channel)
        #expect(channel.text == "channel=1/1")
        for text in ["", "apns", "apns=1", "apns=1/x", "nobody=1/1", "=", "a=b=c"] {
            #expect(CohortCounts(text).told.isEmpty)
        }
    }

    @Test("Who is proven to have the start is accepted in its cohort, and in sum as many as there were in doubt")
    func proven() {
        var all = BroadcastCounts()
        for (cohort, part) in [(Cohort.apns, counts(2, ["unknown": 2])), (.fcm, counts(0, ["unknown": 1]))] {
            var part = part
            part.cohorts.add(part, of: cohort)
            all.add(part)
        }
        all.settle(proven: 1, of: .fcm)
        #expect(all.accepted == 3 && all.unknown == 2 && all.cohorts.text == "apns=4/2,fcm=1/1")
        all.settle(proven: 9, of: .apns)
        #expect(all.accepted == 5 && all.unknown == 0 && all.cohorts.text == "apns=4/4,fcm=1/1")
    }

    @Test("An outcome that comes after the broadcast's end is counted in its cohort")
    func amended() async throws {
        try await StoreStage.run { stage in
            let key = Keys.broadcast(.random(), .random())
            _ = try await stage.store.value(
                RedisCommand(
                    "HSET", key, "state", "done", "accepted", 5, "failed", "unknown=2", "cohorts", "apns=4/3,fcm=3/2"))
            let amend = Scripts.amendBroadcast(
                broadcast: key, cohort: "fcm", growth: ["a", "1", "f:unknown", "-1"])
            #expect(try await stage.store.run(amend) == .amended)
            let read = try await stage.store.value(RedisCommand("HMGET", key, "accepted", "failed", "cohorts"))
            #expect(read.array?.map(\.string) == ["6", "unknown=1", "apns=4/3,fcm=3/3"])
            _ = try await stage.store.value(RedisCommand("HDEL", key, "cohorts"))
            #expect(try await stage.store.run(amend) == .amended)
            #expect(try await stage.store.value(RedisCommand("HEXISTS", key, "cohorts")).int == 0)
        }
    }

    @Test("So is one that comes when a field has taken the place of the record")
    func amendedField() async throws {
        try await StoreStage.run { stage in
            let activity = UniqueID.random()
            let (id, own) = (UniqueID.random(), activity.randomBroadcast())
            let amend = Scripts.amendBroadcast(
                broadcast: Keys.broadcast(activity, id), cohort: "fcm",
                growth: ["a", "1", "f:unknown", "-1", "f:No Way", "2"])
            #expect(try await stage.store.run(amend) == .noBroadcast)
            for (text, changed) in [
                (
                    "sd1000 1 2   5  apns=4/3,fcm=3/2   unknown=2",
                    "sd1000 1 2   6  apns=4/3,fcm=3/3   unknown=1,No Way=2"
                ),
                ("sd1000", "sd1000     1     No Way=2"),
            ] {
                let field = Keys.endedBroadcasts(activity)
                _ = try await stage.store.value(RedisCommand("HSET", field, id.bytes, text))
                #expect(try await stage.store.run(amend) == .amended)
                #expect(try await stage.store.value(RedisCommand("HGET", field, id.bytes)).string == changed)
            }
            #expect(try await stage.keys("*:b:\(id)").isEmpty)
            // The activity's hash changes in the same way.
            let place = Keys.activity(activity)
            let name = String(own.description.suffix(12))
            _ = try await stage.store.value(RedisCommand("HSET", place, name, "sd1000 1 2   5     unknown=2"))
            let again = Scripts.amendBroadcast(
                broadcast: Keys.broadcast(activity, own), cohort: "fcm", growth: ["a", "1"])
            #expect(try await stage.store.run(again) == .amended)
            let changed = try await stage.store.value(RedisCommand("HGET", place, name)).string
            #expect(changed == "sd1000 1 2   6     unknown=2")
            #expect(try await stage.ended(own, in: activity) == changed)
        }
    }
}
