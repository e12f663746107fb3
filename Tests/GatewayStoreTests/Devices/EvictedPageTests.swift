import LiveActivity
import RedisClient
import RosterCore
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Pages that Redis has thrown away")
struct EvictedPageTests {
    @Test("Clearing or writing a cell creates no page of statuses, which would never expire")
    func statuses() async throws {
        try await StoreStage.run { stage in
            // Too many slots for a page beside the counters.
            let users = 0..<RosterGeometry.slotsPerPage
            try await stage.addDevices(users)
            let activity = try await stage.started(users).activity
            let key = Keys.statusPage(activity.id, 0)
            #expect(try await stage.store.value(RedisCommand("DEL", key)).int == 1)
            let roster = stage.store.roster
            for command in [
                roster.clearUpdateCell(
                    activity, slot: 0, TokenPage.cell(reason: .ended), status: DeliveryStatus.ended(.userUnfollow),
                    asOf: nil
                ).command,
                roster.putStartCell(
                    activity, slot: 1, TokenPage.cell(reason: .ended), status: DeliveryStatus.removed),
            ] {
                _ = try await stage.store.value(command)
                #expect(try await stage.keys(key).isEmpty)
            }
        }
    }
}
