import LiveActivity
import RedisClient
import Testing
import TimeCore

@testable import GatewayStore

@Suite("What the SDK key can have written of users who are not known")
struct FollowerQuotaTests {
    private let limits = {
        var limits = TenantLimits.standard
        limits.set(.users, 2)
        return limits
    }()

    private func topic(_ stage: StoreStage) async throws -> TopicID {
        let id = TopicID(tenantID: stage.tenant, name: "derby")
        let write = TopicWrite(type: StoreStage.type, state: .upcoming, digest: [1])
        #expect(try await stage.store.topics.put(write, to: id) == .changed(version: 1))
        return id
    }

    private func counts(_ stage: StoreStage) async throws -> (users: Int, devices: Int, newDevices: Int) {
        await stage.store.usage.flush()
        return try await stage.store.usage.counts(stage.tenant, limits)
    }

    @Test("Whoever follows without a device counts as a user, once, and is not made when there are as many as may be")
    func users() async throws {
        try await StoreStage.run { stage in
            let id = try await topic(stage)
            func say(_ follows: Bool, _ user: Int, _ topic: TopicID? = nil) async throws -> Bool {
                let outcome = try await stage.store.followers.setWish(
                    follows, of: StoreStage.key(user).insiderID, topic ?? id, reportedAt: stage.now, limits)
                if case .noted = outcome { return true }
                return false
            }
            // Without a topic no user is created.
            let none = TopicID(tenantID: stage.tenant, name: "none")
            #expect(try await !say(true, 0, none))
            #expect(try await stage.keys("fanfare:{u:*").isEmpty)

            #expect(try await say(true, 0))
            #expect(try await say(true, 0))
            let key = StoreStage.key(0)
            try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: stage.tenant, limits: limits)
            var counts = try await counts(stage)
            #expect(counts.users == 1 && counts.devices == 1 && counts.newDevices == 2)

            // An unfollow also creates the user.
            #expect(try await say(false, 1))
            for follows in [true, false] {
                await #expect(throws: StoreError.quotaReached(.users, wait: nil)) { try await say(follows, 2) }
            }
            #expect(try await say(true, 1))
            #expect(try await say(false, 0))
            let stranger = StoreStage.key(2).insiderID
            #expect(try await stage.keys("*\(stranger)*").isEmpty)
            let topic = try await stage.store.topics.topic(id)
            #expect(topic?.following == 1 && topic?.unfollowed == 1)

            // A user without devices remains while a choice is stored.
            let start = try await stage.removeDevice(key)
            #expect(start.devices == 1 && start.users == 0)
            counts = try await self.counts(stage)
            #expect(counts.users == 2 && counts.devices == 0)
            await #expect(throws: StoreError.quotaReached(.users, wait: nil)) { try await say(true, 2) }
            let erasure = try await stage.store.erasures.begin(key.insiderID, tenantID: stage.tenant)
            #expect(erasure.users == 1)
            await stage.store.usage.flush()
            #expect(try await say(true, 2))
        }
    }

    @Test("Of devices that never were little is remembered, and of users that never were nothing")
    func erased() async throws {
        try await StoreStage.run { stage in
            let key = StoreStage.key(0)
            try await stage.store.devices.putDevice(StoreStage.device(), key, tenantID: stage.tenant)
            let before = try await Set(stage.keys("*"))
            for number in 0..<300 {
                let unknown = DeviceKey(insiderID: key.insiderID, udid: "never-\(number)")
                #expect(try await stage.removeDevice(unknown).devices == 0)
            }
            let erased = Keys.erased(stage.tenant, key.insiderID)
            #expect(try await stage.store.value(RedisCommand("HLEN", erased)).int == Int64(ScriptLimits.erasedOfUser))
            for user in 1..<20 {
                _ = try await stage.removeDevice(StoreStage.key(user))
            }
            // The mark that a device was erased, which imports check, lasts some minutes.
            let mark = Keys.erasing(stage.tenant)
            #expect(try await Set(stage.keys("*")).subtracting(before) == [erased, mark])
            let left = try await stage.store.value(RedisCommand("PTTL", mark)).int ?? 0
            #expect(left > 0 && left <= 600_000)
            // Expired marks leave room for others.
            stage.advance(.seconds(16))
            let last = DeviceKey(insiderID: key.insiderID, udid: "last")
            _ = try await stage.removeDevice(last)
            #expect(try await stage.store.value(RedisCommand("HLEN", erased)).int == 1)
            // A device that existed is marked in any case.
            #expect(try await stage.removeDevice(key).devices == 1)
            #expect(try await stage.store.value(RedisCommand("HLEN", erased)).int == 2)
        }
    }
}
