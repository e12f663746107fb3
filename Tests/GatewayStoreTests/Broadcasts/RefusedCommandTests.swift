import Delivery
import LiveActivity
import RedisClient
import Testing

@testable import GatewayStore

@Suite("Calls whose commands Redis refuses")
struct RefusedCommandTests {
    private static func commands(of script: RedisScript) -> Set<String> {
        Set(script.source.matches(of: #/redis\.p?call\('([A-Z]+)'/#).map { String($0.output.1) })
    }

    private static let scripts: [(PushEvent, RedisScript)] = [
        (.start, Scripts.beginStartScript), (.update, Scripts.beginUpdateScript), (.end, Scripts.beginEndScript),
    ]

    /// All keys but those of the tenant, whose use is reported once a second, and the fields of the activity's hash.
    private func state(_ stage: StoreStage, _ id: UniqueID) async throws -> [String] {
        let fields = try await stage.store.value(RedisCommand("HGETALL", Keys.activity(id)))
        let keys = try await stage.keys("*").filter { !$0.hasPrefix("fanfare:{t:") }
        return keys.sorted() + ["\(fields)"]
    }

    @Test("Without one of its commands a broadcast changes nothing, and with it the same call succeeds")
    func refused() async throws {
        #expect(Self.commands(of: Scripts.beginStartScript).isSuperset(of: ["XADD", "SET", "PEXPIREAT"]))
        try await StoreStage.run(onCluster: false) { stage in
            try await stage.addDevices(0..<1)
            let commands = Self.scripts.reduce(into: Set()) { $0.formUnion(Self.commands(of: $1.1)) }
            for command in commands.sorted() {
                let id = try await stage.register(0..<1).activity.id
                for (kind, script) in Self.scripts {
                    let record = try await stage.read(id)
                    let name = id.randomBroadcast()
                    if Self.commands(of: script).contains(command) {
                        let before = try await state(stage, id)
                        try await stage.refusing(command) {
                            await #expect(throws: StoreError.self, "\(command)") {
                                _ = try await stage.begin(kind, record, id: name)
                            }
                        }
                        #expect(try await state(stage, id) == before, "\(command)")
                    }
                    let order = try await stage.begin(kind, record, id: name)
                    #expect(order?.id == name, "\(command)")
                    #expect(try await stage.read(id).activity.state == (kind == .end ? .dead : .started))
                }
            }
        }
    }

    @Test(
        "A removal of users that Redis refuses halfway is counted by its repetition",
        arguments: ["hincrby", "pexpireat"])
    func refusedRemoval(right: String) async throws {
        try await StoreStage.run(onCluster: false) { stage in
            try await stage.addDevices(0..<3)
            let id = try await stage.register(0..<3).activity.id
            let removed = StoreStage.ids(0..<1)
            try await stage.refusing(right) {
                await #expect(throws: StoreError.self) {
                    _ = try await stage.store.activities.removeUsers(removed, from: id)
                }
            }
            _ = try await stage.store.activities.removeUsers(removed, from: id)
            let record = try await stage.read(id)
            #expect(record.users == 2 && record.devices == 2, "\(record.users) \(record.devices)")
        }
    }

    @Test("A registration that Redis refuses halfway leaves no activity and no tokens", arguments: ["hget", "zadd"])
    func refusedRegistration(right: String) async throws {
        try await StoreStage.run(onCluster: false) { stage in
            try await stage.addDevices(0..<2)
            // The joins read a field of each user. The last step adds the activity to a sorted set.
            _ = try await stage.store.value(RedisCommand("ACL", "SETUSER", "default", "-\(right)"))
            await #expect(throws: StoreError.self) { _ = try await stage.register(0..<2) }
            _ = try await stage.store.value(RedisCommand("ACL", "SETUSER", "default", "+\(right)"))
            #expect(try await stage.keys("*:a:*").isEmpty)
            #expect(try await stage.keys("*}:[sfi]:*").isEmpty)
            #expect(try await stage.keys("*}:c").isEmpty)
            #expect(try await stage.register(0..<2).activity.state == .registered)
        }
    }
}
