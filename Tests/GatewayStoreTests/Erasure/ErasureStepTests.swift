import LiveActivity
import RedisClient
import TestStore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Steps of an erasure")
struct ErasureStepTests {
    /// More fields than Lua's `unpack` takes at once.
    private static let many = 4_100
    private static let phone = DeviceKey(insiderID: "anna", udid: "phone")
    private static let tablet = DeviceKey(insiderID: "anna", udid: "tablet")

    /// Adds a user with two devices that share `many` memberships and have `many` tokens each.
    private func addManyFields(_ stage: StoreStage) async throws -> String {
        let devices = stage.store.devices
        try await devices.importDevices(
            [Self.phone, Self.tablet].map { ($0, StoreStage.device(), nil) }, tenantID: stage.tenant)
        let user = try #require(try await devices.user(Self.phone.insiderID, tenantID: stage.tenant))
        let numbers = user.devices.map(\.number)
        let key = Keys.user(stage.tenant, Self.phone.insiderID)
        var membership = Membership(expiresAt: stage.now + .seconds(86_400))
        for (slot, number) in numbers.enumerated() { membership.add(device: number, slot: UInt32(slot)) }
        var fields = [Array(key.utf8)]
        for count in 0..<Self.many {
            fields += [UserRecord.membershipField(.random()), membership.bytes]
            for number in numbers {
                let token = UserRecord.encodeToken(Array("token \(number) \(count)".utf8), reportedAt: stage.now)
                fields += [UserRecord.tokenField(device: number, "type \(count)"), token]
            }
        }
        _ = try await stage.redis.value(RedisCommand("HSET", arguments: fields))
        return key
    }

    private func length(_ key: String, _ stage: StoreStage) async throws -> Int {
        Int(try await stage.redis.value(RedisCommand("HLEN", key)).int ?? 0)
    }

    @Test("A user with thousands of places and tokens, and a device with as many, is taken out whole")
    func manyFields() async throws {
        try await StoreStage.run { stage in
            let erasures = stage.store.erasures
            let key = try await addManyFields(stage)
            let device = try await erasures.begin(Self.tablet, tenantID: stage.tenant)
            #expect(device.devices == 1 && device.users == 0)
            // The tablet, its tokens and its part of each membership are set aside, and nothing of the phone's.
            #expect(try await length(Keys.setAside(device.erasure), stage) == 1 + 2 * Self.many)
            #expect(try await length(key, stage) == 2 + 2 * Self.many)
            let left = try #require(try await stage.store.devices.user(Self.phone.insiderID, tenantID: stage.tenant))
            #expect(left.devices.map(\.udid) == [Self.phone.udid])
            #expect(left.memberships.allSatisfy { $0.membership.slots.map(\.slot) == [0] })

            let user = try await erasures.begin(Self.phone.insiderID, tenantID: stage.tenant)
            #expect(user.devices == 1 && user.users == 1)
            #expect(try await length(Keys.setAside(user.erasure), stage) == 2 + 2 * Self.many)
            #expect(try await length(key, stage) == 0)
            try await erasures.conclude(user.erasure)
            #expect(try await length(Keys.setAside(user.erasure), stage) == 1 + Self.many)
        }
    }

    /// The step that a gateway has reached when it is killed or overtaken.
    private enum Death: CaseIterable {
        case noted, emptied, left, concluded
    }

    @Test("However often an activity is left, because gateways are killed on the way, the user is counted out once")
    func countedOnce() async throws {
        try await StoreStage.run { stage in
            let (store, tenant) = (stage.store, stage.tenant)
            try await stage.addDevices(0..<Death.allCases.count + 1)
            let activity = try await stage.register(0..<Death.allCases.count + 1).activity
            for (number, death) in Death.allCases.enumerated() {
                let start = try await store.erasures.begin(StoreStage.key(number).insiderID, tenantID: tenant)
                let place = try #require(try await store.erasures.places(start.erasure)?.first)
                var report = ErasureReport()
                switch death {
                case .noted, .emptied:
                    let members = try await store.roster.members(place.slots, in: activity)
                    _ = try await store.erasures.run(
                        Scripts.noteMembers(
                            aside: Keys.setAside(start.erasure), place: place.aside.field,
                            field: place.aside.membersField, members: members))
                    if death == .emptied { try await store.roster.erase(place.slots, in: activity) }
                case .left: try await store.erasures.leave(place, start.erasure, &report)
                case .concluded:
                    // Another gateway has finished the erasure, and this one comes late.
                    try await store.erasures.leave(place, start.erasure, &report)
                    try await store.erasures.conclude(start.erasure)
                }
                let again = try await store.erasures.places(start.erasure) ?? [place]
                for place in again { try await store.erasures.leave(place, start.erasure, &report) }
                let record = try await stage.read(activity.id)
                let left = Death.allCases.count - number
                #expect(record.devices == left && record.users == left, "\(death)")
            }
        }
    }
}
