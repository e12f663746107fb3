import LiveActivity
import RedisClient
import RosterCore
import Synchronization
import TestSupport
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Registering segments")
struct SegmentRegistrationTests {
    private static func registration(_ stage: StoreStage) -> StoredActivities.Registration {
        StoredActivities.Registration(
            type: StoreStage.type, endsAt: stage.now + .seconds(3600), activityIDAttribute: "id")
    }

    private static func register(_ stage: StoreStage, _ name: String) async throws -> RegistrationReport {
        let outcome = try await stage.store.activities.register(
            registration(stage), segment: name, tenantID: stage.tenant, checkpoint: {})
        guard case .registered(let report) = outcome else {
            Issue.record("\(outcome)")
            return RegistrationReport()
        }
        return report
    }

    @Test("A segment makes the same activity as its ids do, with users of several devices over the edges of pages")
    func sameAsIDs() async throws {
        try await StoreStage.run { stage in
            // Users of one to three devices; some have none that is eligible.
            var devices: [(key: DeviceKey, device: Device, token: [UInt8]?)] = []
            for user in 0..<3000 {
                for number in 0...(user % 3) {
                    let consents = user % 50 != 7
                    let key = StoreStage.key(user, number)
                    devices.append((key, StoreStage.device(consent: consents), StoreStage.token(user * 4 + number)))
                }
            }
            try await stage.store.devices.importDevices(devices, tenantID: stage.tenant)
            let ids = StoreStage.ids(0..<3200)
            try await stage.put("all", ids)
            let report = try await Self.register(stage, "all")
            let expected = try await stage.store.activities.register(
                Self.registration(stage), insiderIDs: ids, tenantID: stage.tenant)
            #expect(report.users == expected.users && report.devices == expected.devices && report.isPartial)
            #expect(report.skipped == expected.skipped && report.skipped[.unknownUser] == 200)
            #expect(Set(report.gdprDenied) == Set(expected.gdprDenied))
            let id = try #require(report.activityID)
            let record = try await stage.read(id)
            #expect(record.users == report.users && record.devices == report.devices)
            #expect(record.slots.ranges == [0..<UInt32(report.devices)])
            #expect(record.activity.activityIDAttribute == "id" && record.activity.state == .registered)
            #expect(try await stage.store.roster.reach(.pushToStart, in: record).holders == report.devices)
            let tokens = try await stage.startTokens(id)
            let all = try await stage.startTokens(try #require(expected.activityID))
            #expect(Set(tokens.values) == Set(all.values) && tokens.count == report.devices)
            // Every device is found in its place.
            let eligible = devices.filter(\.device.gdprConsent)
            let targets = try await stage.store.roster.targets(eligible.map(\.key), .pushToStart, in: record.activity)
            #expect(targets.found.count == eligible.count && targets.notInSegment == 0)
            #expect(targets.found.allSatisfy { $0.skip == nil })
            let places = Dictionary(uniqueKeysWithValues: eligible.map { ($0.token ?? [], $0.key) })
            // By slot first: the order of a dictionary differs from run to run.
            var random = TestSeed.generator()
            for (slot, token) in tokens.sorted(by: { $0.key < $1.key }).shuffled(using: &random).prefix(200) {
                let target = try await stage.store.roster.targets(
                    [try #require(places[token])], .pushToStart, in: record.activity)
                #expect(target.found.map(\.slot) == [UInt32(slot)])
            }
        }
    }

    @Test("More denied devices than are named are all counted")
    func manyDenied() async throws {
        try await StoreStage.run { stage in
            try await stage.store.devices.importDevices(
                (0..<2500).map { (StoreStage.key($0), StoreStage.device(consent: $0 == 0), StoreStage.token($0)) },
                tenantID: stage.tenant)
            try await stage.put("all", StoreStage.ids(0..<2500))
            let report = try await Self.register(stage, "all")
            #expect(report.skipped[.gdprDenied] == 2499 && report.gdprDenied.count == 1000 && report.users == 1)
        }
    }

    @Test("Without an eligible device, and when it is broken off, there is no activity")
    func nothing() async throws {
        try await StoreStage.run { stage in
            try await stage.put("strangers", StoreStage.ids(0..<20))
            let report = try await Self.register(stage, "strangers")
            #expect(report.activityID == nil && report.skipped[.unknownUser] == 20 && report.isPartial)
            try await stage.put("empty", [])
            #expect(try await Self.register(stage, "empty").activityID == nil)
            let outcome = try await stage.store.activities.register(
                Self.registration(stage), segment: "none", tenantID: stage.tenant, checkpoint: {})
            guard case .noSegment = outcome else {
                Issue.record("\(outcome)")
                return
            }
            struct Stop: Error {}
            try await stage.addDevices(0..<6000)
            try await stage.put("many", StoreStage.ids(0..<6000))
            var pages = 0
            await #expect(throws: Stop.self) {
                _ = try await stage.store.activities.register(
                    Self.registration(stage), segment: "many", tenantID: stage.tenant
                ) {
                    pages += 1
                    if pages == 4 { throw Stop() }
                }
            }
            #expect(try await stage.keys("*:a:*").isEmpty)
            // The pages of the segment are left.
            #expect(try await stage.keys("*}:[sfi]:*").allSatisfy { $0.contains("{g:") })
            #expect(try await stage.keys("*}:c").isEmpty)
        }
    }

    @Test("A token that changes while its user is being registered is the one that the start would use")
    func changing() async throws {
        try await StoreStage.run { stage in
            let count = 4000
            try await stage.addDevices(0..<count)
            try await stage.put("all", StoreStage.ids(0..<count))
            let seed = TestSeed.current
            let changes = Atomic(0)
            let newest = Task {
                var random = SeededGenerator(seed: seed)
                var newest: [Int: [UInt8]] = [:]
                while !Task.isCancelled {
                    let user = Int.random(in: 0..<count, using: &random)
                    let token = StoreStage.token(Int.random(in: 100_000..<10_000_000, using: &random))
                    try await stage.store.devices.putPushToStartToken(
                        token, StoreStage.key(user), tenantID: stage.tenant, type: nil)
                    newest[user] = token
                    changes.add(1, ordering: .relaxed)
                }
                return newest
            }
            // The speed of the machine decides the number of changes in one registration.
            var registered: [UniqueID] = []
            var meanwhile = 0
            while meanwhile <= 10, registered.count < 200 {
                let before = changes.load(ordering: .relaxed)
                registered.append(try #require(try await Self.register(stage, "all").activityID))
                meanwhile += changes.load(ordering: .relaxed) - before
            }
            newest.cancel()
            let changed = try await newest.value
            #expect(meanwhile > 10, "seed \(seed)")
            let expected = Set((0..<count).map { changed[$0] ?? StoreStage.token($0) })
            #expect(expected.count > count - 10)
            for id in registered {
                let missing = expected.subtracting(try await stage.startTokens(id).values)
                #expect(missing.isEmpty, "seed \(seed), \(changed.count) changes")
            }
        }
    }
}
