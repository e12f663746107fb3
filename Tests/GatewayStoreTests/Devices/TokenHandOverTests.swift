import Delivery
import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Places of other logins on one phone")
struct TokenHandOverTests {
    private static let token: [UInt8] = [7, 7, 7]

    /// A started activity of three logins that share a phone, of which the first one has the token.
    private func started(_ stage: StoreStage) async throws -> UniqueID {
        try await stage.addDevices(0..<3)
        for user in [2, 1, 0] { try await report(stage, user) }
        return try await stage.started(0..<3).activity.id
    }

    private func report(_ stage: StoreStage, _ user: Int) async throws {
        stage.advance(.milliseconds(1))
        try await stage.store.devices.putPushToStartToken(
            Self.token, StoreStage.key(user), tenantID: stage.tenant, type: nil, receivedAt: stage.now)
    }

    private func user(_ stage: StoreStage, _ user: Int) async throws -> UserRecord {
        try #require(try await stage.store.devices.user(StoreStage.key(user).insiderID, tenantID: stage.tenant))
    }

    private func shown(_ stage: StoreStage, _ user: Int, _ id: UniqueID) async throws -> Set<UInt32> {
        let record = try await self.user(stage, user)
        let shown = try await stage.store.devices.handOvers.shown([record], in: id)[0]
        return Set(shown.values.joined())
    }

    @Test("A login inherits the places of all former logins, ended ones included")
    func places() async throws {
        for ended in 0..<2 {
            try await StoreStage.run { stage in
                let id = try await started(stage)
                var statuses = [DeliveryStatus.startAccepted, DeliveryStatus.startAccepted, DeliveryStatus.registered]
                statuses[ended] = DeliveryStatus.ended(.userUnfollow)
                try await stage.putStatuses(statuses, from: 0, id, 0)
                try await report(stage, 1)
                try await report(stage, 2)
                #expect(try await Set(user(stage, 2).handOvers.map(\.slot)) == [0, 1])
                #expect(try await shown(stage, 2, id) == [UInt32(1 - ended)])
            }
        }
    }

    /// The slots that a start under way sends to the phone.
    private func sentTo(_ stage: StoreStage, _ id: UniqueID) async throws -> [Int] {
        try await stage.startTokens(id).filter { $0.value == Self.token }.map(\.key)
    }

    /// Begins the start of an activity of the first of three logins, of which the first owns the token.
    private func beginStart(_ stage: StoreStage, of count: Int) async throws -> BroadcastOrder {
        try await stage.addDevices(0..<3)
        for user in [2, 1, 0] { try await report(stage, user) }
        return try #require(try await stage.begin(.start, try await stage.register(0..<count)))
    }

    @Test("A token that changes logins during its activity's start is sent one start")
    func duringStart() async throws {
        try await StoreStage.run { stage in
            let order = try await beginStart(stage, of: 3)
            for user in [1, 2, 0, 1, 0, 2] {
                try await report(stage, user)
                #expect(try await sentTo(stage, order.activity.id) == [0], "login \(user)")
            }
            var outcome = PageOutcome(page: 0)
            outcome.accepted = [0]
            try await stage.finish(outcome, order)
            for user in [1, 2] {
                try await report(stage, user)
                #expect(try await shown(stage, user, order.activity.id) == [0], "login \(user)")
            }
        }
    }

    @Test("A token that moved to a login outside the activity during the start is sent no second start")
    func duringStartAbroad() async throws {
        try await StoreStage.run { stage in
            let order = try await beginStart(stage, of: 2)
            for user in [2, 1] {
                try await report(stage, user)
                // The former login's page may have been read.
                #expect(try await sentTo(stage, order.activity.id) == [], "login \(user)")
            }
        }
    }

    @Test("A device that is reported after its token is marked as well")
    func tokenFirst() async throws {
        try await StoreStage.run { stage in
            try await stage.addDevices(0..<1)
            try await report(stage, 0)
            let id = try await stage.started(0..<1).activity.id
            try await stage.putStatuses([DeliveryStatus.startAccepted], from: 0, id, 0)
            try await report(stage, 1)
            stage.advance(.milliseconds(1))
            try await stage.store.devices.putDevice(
                StoreStage.device("18.0"), StoreStage.key(1), tenantID: stage.tenant)
            #expect(try await user(stage, 1).handOvers.count == 1)
            let key = StoreStage.key(1)
            let field = RedisCommand("HGET", Keys.user(stage.tenant, key.insiderID), UserRecord.deviceField(key.udid))
            let record = try await stage.store.value(field).bytes ?? []
            #expect(record.withUnsafeBytes { DeviceRecord.hasHandOvers(in: $0) })
            #expect(!DeviceRecord.isReached(record))
        }
    }
}
