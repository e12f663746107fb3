import Delivery
import LiveActivity
import RosterCore
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("A roster that is written as its users come")
struct RosterStreamTests {
    private static let activity = Activity(
        id: .random(), tenantID: "t", type: StoreStage.type, createdAt: WallTime(seconds: 1_795_000_000),
        endsAt: WallTime(seconds: 1_795_003_600))

    /// A user with a device for each environment.
    private static func record(_ user: Int, _ environments: [Device.Environment]) -> UserRecord? {
        var fields: [RedisField] = []
        for (number, environment) in environments.enumerated() {
            var device = StoreStage.device()
            device.environment = environment
            let id = UInt32(number + 1)
            fields.append(
                (
                    UserRecord.deviceField(StoreStage.key(user, number).udid),
                    DeviceRecord.stored(device, number: id)
                ))
            let token = UserRecord.encodeToken(
                StoreStage.token(user * 4 + number), reportedAt: WallTime(seconds: 1_795_000_000))
            fields.append((UserRecord.tokenField(device: id, ""), token))
        }
        return UserRecord(fields)
    }

    /// The writes and joins of the writers, compared with the input of the stream.
    private struct Written {
        var environments: [String: [Device.Environment]] = [:]
        /// Token by slot.
        var written: [UInt32: [UInt8]] = [:]
        var joined: Set<String> = []
        var devices: [RouteKind: Int] = [:]

        mutating func take(_ writer: RosterWriter, isLast: Bool) {
            for (page, entries) in writer.pages {
                #expect(isLast || entries.count == RosterGeometry.slotsPerPage)
                for (index, entry) in zip(0..., entries.map { writer.draft.entries[$0] }) {
                    // From the page's first slot on, each slot once.
                    #expect(entry.slot == RosterGeometry.slot(page: page, index: index))
                    #expect(RosterGeometry.kind(ofSlot: entry.slot) == entry.kind)
                    #expect(written.updateValue(Array(entry.token), forKey: entry.slot) == nil)
                    writtenDevices[entry.kind, default: 0] += 1
                }
            }
            for user in writer.draft.users {
                #expect(joined.insert(user.insiderID).inserted)
                let entries = writer.draft.entries[user.entries]
                #expect(entries.map(\.key.insiderID).allSatisfy { $0 == user.insiderID })
                let kinds = environments[user.insiderID]?.map { $0 == .sandbox ? RouteKind.apnsSandbox : .apns }
                #expect(entries.map(\.kind) == kinds)
                for entry in entries { #expect(written[entry.slot] == Array(entry.token), "not written yet") }
            }
        }

        var writtenDevices: [RouteKind: Int] = [:]

        /// The number of devices that wait for their page to be full.
        func waiting(_ kind: RouteKind) -> Int { (devices[kind] ?? 0) - (writtenDevices[kind] ?? 0) }
    }

    @Test(
        "Pages of each band are written once they are full, and a user joins when the last of its devices is written",
        arguments: [0, 0.02, 0.5, 1])
    func walk(sandbox share: Double) {
        for number in 0..<2 {
            var random = TestSeed.generator(UInt64(number))
            var stream = RosterStream(Self.activity, served: nil)
            var seen = Written()
            var user = 0
            for _ in 0..<8 {
                var ids: [String] = []
                var records: [UserRecord?] = []
                for _ in 0..<Int.random(in: 0...1200, using: &random) {
                    let environments = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        Double.random(in: 0..<1, using: &random) < share ? Device.Environment.sandbox : .production
                    }
                    let id = StoreStage.key(user).insiderID
                    ids.append(id)
                    records.append(Self.record(user, environments))
                    if !environments.isEmpty { seen.environments[id] = environments }
                    for environment in environments {
                        seen.devices[environment == .sandbox ? .apnsSandbox : .apns, default: 0] += 1
                    }
                    user += 1
                }
                stream.add(ids, records)
                if let writer = stream.next(isLast: false) { seen.take(writer, isLast: false) }
                for kind in [RouteKind.apns, .apnsSandbox] {
                    #expect((0..<RosterGeometry.slotsPerPage).contains(seen.waiting(kind)))
                }
            }
            if let writer = stream.next(isLast: true) { seen.take(writer, isLast: true) }
            #expect(stream.next(isLast: true) == nil)
            #expect(seen.joined == Set(seen.environments.keys), "seed \(TestSeed.current)")
            for kind in [RouteKind.apns, .apnsSandbox] {
                #expect(seen.waiting(kind) == 0 && stream.bands[kind] == seen.devices[kind] ?? 0)
            }
            #expect(stream.report.devices == seen.written.count && stream.report.users == seen.joined.count)
        }
    }
}
