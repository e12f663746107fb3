import HTTPTypes
import LiveActivity
import Synchronization
import Testing
import TimeCore

@testable import Broadcasts
@testable import GatewayAPI
@testable import GatewayStore

/// Shares of the resources that requests hold until they are answered.
@Suite("Shares of requests")
struct RequestShareTests {
    private static let names = #"{"insider_id":"ann","udid":"u"}"#

    private func refused(_ caller: Caller, _ name: String) -> UInt64? {
        caller.router.shares.usage.first { $0.name == name }?.refusals
    }

    /// The amount of a share that a tenant holds.
    private func told(_ shares: GatewayShares, _ name: String, _ tenantID: String) -> Int? {
        shares.shares(ofTenant: tenantID, weight: 1).first { $0.name == name }?.used
    }

    @Test("A tenant is told of each share by its name, how much it could have alone, and of none twice")
    func names() {
        var settings = APISettings()
        (settings.maximumBulkChanges, settings.maximumErasures, settings.maximumListings) = (9, 18, 27)
        let shares = GatewayShares(settings).shares(ofTenant: "a", weight: 1)
        #expect(
            shares.map(\.name) == [
                "uploads", "event_streams", "listings", "bulk_changes", "erasures", "body_bytes", "device_listings",
                "device_erasures", "device_body_bytes", "reports",
            ])
        let limits = Dictionary(uniqueKeysWithValues: shares.map { ($0.name, $0.limit) })
        #expect(limits["bulk_changes"] == 8 && limits["erasures"] == 16 && limits["device_erasures"] == 16)
        #expect(limits["listings"] == 24 && limits["device_listings"] == 24)
    }

    @Test("A change of many users waits for a place, and is refused when none comes in time")
    func bulkChanges() async throws {
        let fields = KnownFields(body: ["insider_id", "udid"])
        let endpoint = Endpoint(.post, "/many", .command { _, _ in .success() }, fields, isBulkChange: true)
        let small = Endpoint(.post, "/few", .command { _, _ in .success() }, fields)
        let caller = Caller([endpoint, small]) {
            $0.maximumBulkChanges = 1
            $0.placePatience = .milliseconds(50)
        }
        let changes = caller.router.shares.bulkChanges
        var place = changes.place(for: .customer("another"))
        #expect(place != nil && told(caller.router.shares, "bulk_changes", "another") == 1)
        #expect(told(caller.router.shares, "bulk_changes", "tenant") == 0)
        let answer = try await caller.ask(.post, "/many", Self.names, key: "good")
        #expect(answer.status == 503 && answer.code == "OVERLOADED" && answer.header("retry-after") == "1")
        #expect(refused(caller, "bulk_changes") == 1)
        #expect(try await caller.ask(.post, "/few", Self.names, key: "good").status == 200)
        // One that waits gets it when it comes back.
        let patient = Caller([endpoint]) {
            $0.maximumBulkChanges = 1
            $0.placePatience = .seconds(60)
        }
        place = patient.router.shares.bulkChanges.place(for: .customer("another"))
        async let waiting = patient.ask(.post, "/many", Self.names, key: "good")
        // The request has sent its body, and asks for a place next.
        while patient.router.shares.bodies.usage.used == 0, refused(patient, "bulk_changes") == 0 { await Task.yield() }
        try await Task.sleep(for: .milliseconds(50))
        place = nil
        #expect(try await waiting.status == 200 && refused(patient, "bulk_changes") == 0)
        withExtendedLifetime(place) {}
        #expect(patient.router.shares.usage.allSatisfy { $0.used == 0 })
    }

    @Test("A device that asks what its user follows has a listing's place, and what it says now and then a report's")
    func devices() async throws {
        let question = Endpoint(.get, "/question", .deviceQuery { _ in .success() }, isListing: true)
        let word = Endpoint(.post, "/word", .device { _ in .success() })
        let caller = Caller([question, word]) {
            $0.maximumListings = 1
            $0.maximumReports = 1
        }
        let path = "/question?insider_id=ann&udid=u"
        let shares = caller.router.shares
        let place = shares.listings.place(for: .devices(ofTenant: "another"))
        #expect(told(shares, "device_listings", "another") == 1 && told(shares, "listings", "another") == 0)
        let reports = shares.reports.reports(ofTenant: "another")
        #expect(shares.reports.enter(reports))
        for (method, path, body) in [("GET", path, nil), ("POST", "/word", Self.names)] {
            let answer = try await caller.ask(.init(method) ?? .get, path, body, key: "good")
            #expect(answer.status == 503 && answer.code == "OVERLOADED", "\(answer.text)")
        }
        withExtendedLifetime(place) {}
        shares.reports.leave(reports)
        #expect(try await caller.ask(.post, "/word", Self.names, key: "good").status == 200)
        #expect(shares.reports.count == 0)
    }

    /// Begins erasures, and holds up their continuation.
    private final class Erasures: ErasureStore, ErasureCarrier {
        let underWay = Mutex<(now: Int, most: Int)>((0, 0))
        let gate = AsyncStream<Void>.makeStream()

        func begin(_ insiderID: String, tenantID: String) async throws(StoreError) -> ErasureStart {
            let erasure = Erasure(
                tenantID: tenantID, insiderID: insiderID, isOfUser: true, erasedAt: WallTime(seconds: 1))
            return ErasureStart(erasure: erasure, devices: 0, users: 0, open: [])
        }

        func begin(_ device: DeviceKey, tenantID: String) async throws(StoreError) -> ErasureStart {
            try await begin(device.insiderID, tenantID: tenantID)
        }

        func erase(
            _ erasure: Erasure, after open: [Erasure], patience: TimeInterval
        ) async throws(StoreError) -> ErasureReport {
            underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for await _ in gate.stream {}
            underWay.withLock { $0.now -= 1 }
            return ErasureReport()
        }
    }

    @Test(
        "A tenant has some erasures carried out at once, also when nobody waits any more; the due queue has the others")
    func erasures() async throws {
        var settings = APISettings()
        settings.maximumErasures = 4
        let (shares, erasures) = (GatewayShares(settings), Erasures())
        let api = UsersAPI(
            store: erasures, reader: NoReading(), service: erasures, shares: shares, patience: .milliseconds(50))
        let caller = Caller([Endpoint(.delete, "/users/{insider_id}", .action(api.eraseUser))])
        for number in 0..<6 {
            let answer = try await caller.ask(.delete, "/users/nobody-\(number)", key: "good")
            #expect(answer.status == 200 && answer["complete"]?.bool == false, "\(answer.text)")
        }
        #expect(erasures.underWay.withLock { $0.most } == 3)
        #expect(told(shares, "erasures", "tenant") == 3 && told(shares, "erasures", "another") == 0)
        #expect(told(shares, "device_erasures", "tenant") == 0)
        do {
            let phones = shares.erasures.place(for: .devices(ofTenant: "another"))
            #expect(phones != nil && told(shares, "device_erasures", "another") == 1)
        }
        erasures.gate.continuation.finish()
        while shares.erasures.usage.used > 0 { await Task.yield() }
        #expect(try await caller.ask(.delete, "/users/nobody", key: "good")["complete"]?.bool == true)
    }

    private struct NoReading: UserReading {
        func devices(ofUser insiderID: String, tenantID: String) async throws(StoreError) -> [KnownDevice] { [] }
    }

    @Test("Of the due erasures a gateway carries some out at once, and leaves one to another tenant")
    func dueErasures() {
        func item(_ tenantID: String, _ number: Int) -> DueItem {
            .erasure(
                Erasure(
                    tenantID: tenantID, insiderID: "\(number)", isOfUser: true, erasedAt: WallTime(seconds: 1)))
        }
        var underWay: Set<DueItem> = []
        for number in 0..<100 where DueRunner.hasRoom(for: item("greedy", number), among: underWay) {
            underWay.insert(item("greedy", number))
        }
        #expect(underWay.count == 7)
        #expect(DueRunner.hasRoom(for: item("other", 0), among: underWay))
        #expect(DueRunner.hasRoom(for: .activity(.random()), among: underWay))
        #expect(DueRunner.fullTenants(among: underWay) == (false, ["greedy"]))
        underWay.insert(item("other", 0))
        #expect(DueRunner.fullTenants(among: underWay) == (true, ["greedy", "other"]))
        #expect(DueRunner.fullTenants(among: []) == (false, []))
    }

    @Test("A gateway carries out few due schedules at once, and leaves room for other shards and items")
    func dueSchedules() {
        func activity(_ shard: Int) -> UniqueID {
            var activity = UniqueID.random()
            while StoredJobs.shard(of: activity) != shard { activity = .random() }
            return activity
        }
        var underWay: Set<DueItem> = []
        func take(_ shard: Int) -> Int {
            let room = DueRunner.itemsInLook(shard, among: underWay)
            #expect(room.items == 4)
            for _ in 0..<room.schedules { underWay.insert(.schedule(.random(), in: activity(shard))) }
            return room.schedules
        }
        #expect([take(0), take(0), take(0)] == [4, 0, 0])
        #expect([take(1), take(1), take(2)] == [1, 0, 0])
        // Whose item ends makes room for the one that has none.
        underWay.remove(underWay.first { $0.shard == 0 }!)
        #expect([take(0), take(1), take(2)] == [0, 0, 1])
    }
}
