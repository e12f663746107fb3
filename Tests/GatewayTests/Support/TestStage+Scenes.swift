import Encodings
import Foundation
import Gateway
import GatewayStore
import LiveActivity
import MockAPNs
import Synchronization
import Testing
import TimeCore

// The scenes that most tests begin with.
extension TestStage {
    static let type = "MatchAttributes"

    static func key(_ number: Int) -> DeviceKey {
        DeviceKey(
            insiderID: "user-\(number)", udid: UniqueID(high: 0x4000, low: UInt64(number)).description.uppercased())
    }

    static func startToken(_ number: Int) -> [UInt8] { token(number, 0xA0) }
    static func updateToken(_ number: Int) -> [UInt8] { token(number, 0xB0) }

    private static func token(_ number: Int, _ kind: UInt8) -> [UInt8] {
        [kind] + (0..<31).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) ^ UInt8($0 / 4) }
    }

    static func hex(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }

    static let phone = Device(
        platform: .ios, osVersion: OSVersion(major: 18, minor: 1), pushOptIn: true, gdprConsent: true,
        environment: .production)

    /// Puts devices 0 up to `count` into the store, each of a user of its own.
    func addDevices(_ count: Int) async throws {
        for start in stride(from: 0, to: count, by: 2000) {
            let batch = (start..<min(count, start + 2000)).map {
                (key: TestStage.key($0), device: TestStage.phone, token: Optional(TestStage.startToken($0)))
            }
            try await setup.store.devices.importDevices(batch, tenantID: tenant.tenantID)
        }
    }

    static func endsAt(_ seconds: Int = 7200) -> String {
        WallTime(seconds: WallTime.now().seconds + Int64(seconds)).rfc3339
    }

    /// The time that is this many seconds ahead of the gateways' clock.
    func endsAt(_ seconds: Int = 7200) -> String {
        WallTime(seconds: (clock?.now ?? .now()).seconds + Int64(seconds)).rfc3339
    }

    static func list(_ range: Range<Int>) -> String {
        range.map { "\"\(key($0).insiderID)\"" }.joined(separator: ",")
    }

    static func targets(_ numbers: [Int]) -> String {
        numbers.map { "{\(key($0).fields)}" }.joined(separator: ",")
    }

    /// Registers devices 0 up to `count`, in calls of at most 10,000, and gives the activity's id.
    func register(_ count: Int, options: String = "{}", seconds: Int = 7200) async throws -> String {
        let first = min(count, 10_000)
        let body = """
            {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<first))],
             "ends_at":"\(endsAt(seconds))","options":\(options)}
            """
        let answer = try await call("register", body)
        try #require(answer.status == 200, "\(answer.text)")
        let id = try #require(answer["activity_id"]?.string)
        for start in stride(from: first, to: count, by: 10_000) {
            let more = """
                {"activity_id":"\(id)","activity_type":"\(TestStage.type)",
                 "insider_ids":[\(TestStage.list(start..<min(count, start + 10_000)))]}
                """
            let added = try await call("add-users", more)
            try #require(added.status == 200, "\(added.text)")
        }
        return id
    }

    /// The answer to registering a single device with these options.
    func answer(toOptions options: String) async throws -> Answer {
        let body = """
            {"activity_type":"\(TestStage.type)","insider_ids":[\(TestStage.list(0..<1))],
             "ends_at":"\(endsAt())","options":\(options)}
            """
        return try await call("register", body)
    }

    static let content =
        #"{"title":"Kick-off","message":"It begins","content_state":{"home":0,"away":0},"attributes":{"m":1}}"#

    /// A body for start, update or end.
    static func body(_ id: String, content: String? = content, more: String = "") -> String {
        let content = content.map { #","content":\#($0)"# } ?? ""
        return #"{"activity_id":"\#(id)","activity_type":"\#(type)"\#(content)\#(more.isEmpty ? "" : ",\(more)")}"#
    }

    /// A registered and started activity of devices 0 up to `count`.
    func started(_ count: Int, options: String = "{}", seconds: Int = 7200) async throws -> String {
        try await addDevices(count)
        let id = try await register(count, options: options, seconds: seconds)
        let answer = try await call("start", TestStage.body(id))
        try #require(answer.status == 200 && answer.accepted == count, "\(answer.text)")
        return id
    }

    static func syncBody(_ number: Int, _ reference: String, token: [UInt8]? = nil) -> String {
        let key = key(number)
        return """
            {\(key.fields),
             "token":"\(hex(token ?? updateToken(number)))",\(reference)}
            """
    }

    func sync(_ number: Int, _ id: String, token: [UInt8]? = nil, gateway: Int = 0) async throws -> Answer {
        let body = TestStage.syncBody(number, #""activity_id":"\#(id)""#, token: token ?? updateToken(number, id))
        return try await report("POST", "sync", body, gateway: gateway)
    }

    /// The token of a device's Live Activity: `updateToken` in the first activity, in any other one of its own.
    func updateToken(_ number: Int, _ id: String) -> [UInt8] {
        let first = firstActivities.withLock { activities in
            activities[number] = activities[number] ?? id
            return activities[number]
        }
        return first == id ? Self.updateToken(number) : Self.updateToken(number) + id.utf8.suffix(8)
    }

    /// Reports the update tokens of many devices, some at a time.
    func syncAll(_ range: Range<Int>, _ id: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var next = range.lowerBound
            func add() {
                guard next < range.upperBound else { return }
                let number = next
                next += 1
                group.addTask {
                    let answer = try await self.sync(number, id)
                    try #require(answer.status == 200, "\(answer.text)")
                }
            }
            for _ in 0..<32 { add() }
            while try await group.next() != nil { add() }
        }
    }

    /// The pushes of one event that the mock has processed.
    func pushes(_ event: MockPushEvent) -> [LedgerEntry] {
        mock.ledgerEntries(of: event)
    }
}

extension DeviceKey {
    /// The members of a request with which a device names itself.
    var fields: String { #""insider_id":"\#(insiderID)","udid":"\#(udid)""# }
}

extension StoredTenants {
    /// A fresh key in place of the present one, which is revoked at once; nil without the tenant.
    func freshKey(_ kind: TenantSecretKind, of tenantID: String) async throws -> String? {
        guard case .rotated(let key, _) = try await rotate(kind, of: tenantID, overlap: .zero) else { return nil }
        return key
    }
}

extension LedgerEntry {
    var json: JSONValue? { try? JSONDocument(parsing: payload).root }

    /// A member of `aps`.
    func aps(_ name: String) -> JSONValue? {
        (try? json?.member("aps")?.member(name)).flatMap { $0 }
    }
}
