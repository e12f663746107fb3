import Encodings
import GatewayStore
import LiveActivity
import Reactor
import RedisClient
import TestStore
import Testing

/// A user to erase, whose names need escapes in paths.
enum Anna {
    static let phone = DeviceKey(insiderID: "anna/ä b%:1", udid: "7A1F6A0E-98F1-4C5E-9D0C-4A8E0D6FAAAA")
    static let tablet = DeviceKey(insiderID: "anna/ä b%:1", udid: "tablet of anna")
    static let startToken = [UInt8](repeating: 0xA7, count: 32)
    static let tabletToken = [UInt8](repeating: 0xA8, count: 32)
    static let updateToken = [UInt8](repeating: 0xB7, count: 32)
    static let path = "users/anna%2F%C3%A4%20b%25%3A1"

    static var names: String { phone.fields }

    /// The values that identify her in the store.
    static var traces: [[UInt8]] {
        let packed = UniqueID(phone.udid)?.bytes ?? []
        return [
            Array(phone.insiderID.utf8), Array(phone.udid.utf8), packed, Array(tablet.udid.utf8), startToken,
            tabletToken,
            updateToken, Array(Hexadecimal.encode(startToken).utf8), Array(Hexadecimal.encode(updateToken).utf8),
        ]
    }
}

extension TestStage {
    func addAnna(to tenantID: String? = nil) async throws {
        try await setup.store.devices.importDevices(
            [(Anna.phone, TestStage.phone, Anna.startToken), (Anna.tablet, TestStage.phone, Anna.tabletToken)],
            tenantID: tenantID ?? tenant.tenantID)
    }

    /// Starts an activity of hers and of other users. Her phone reports its Live Activity.
    func annaWatches(with others: Int = 0) async throws -> (activity: String, token: String) {
        let list = others > 0 ? ",\(TestStage.list(0..<others))" : ""
        let body = #"""
            {"activity_type":"\#(TestStage.type)","insider_ids":["\#(Anna.phone.insiderID)"\#(list)],
             "ends_at":"\#(endsAt())"}
            """#
        let id = try #require(try await call("register", body)["activity_id"]?.string)
        #expect(try await call("start", TestStage.body(id)).accepted == 2 + others)
        let token = TestStage.hex(Anna.updateToken)
        #expect(try await anna("POST", "sync", #""token":"\#(token)","activity_id":"\#(id)""#).status == 200)
        return (id, token)
    }

    /// Sends a report of her phone.
    func anna(_ method: String, _ endpoint: String, _ more: String = "") async throws -> Answer {
        try await report(method, endpoint, "{\(Anna.names)\(more.isEmpty ? "" : ",\(more)")}")
    }

    /// Returns the keys that identify her, except those of the tenant `other`.
    func traces(sparing other: String? = nil) async throws -> [String] {
        try await redisTraces(of: Anna.traces).filter { key in other.map { !key.contains($0) } ?? true }
    }

    /// Returns the keys that hold one of these texts in their name or value.
    func redisTraces(of texts: [[UInt8]]) async throws -> [String] {
        let reactor = try Reactor(name: "test-search")
        let client = RedisClient(reactor: reactor, endpoint: redis.endpoint)
        let result: Result<[String], any Error>
        do { result = .success(try await redis.traces(of: texts, by: client)) } catch { result = .failure(error) }
        await client.shutdown()
        reactor.stop()
        return try result.get()
    }
}
