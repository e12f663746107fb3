import Testing

@testable import RedisClient

@Suite struct ClusterSlotTests {
    @Test func theChecksumIsThatOfTheSpecification() {
        let text = Array("123456789".utf8)
        #expect(text.withUnsafeBytes { ClusterSlot.crc16($0) } == 0x31C3)
        #expect(ClusterSlot.of("") == 0)
        #expect(ClusterSlot.of("foo") == 12_182)
        #expect(ClusterSlot.of("bar") == 5061)
        #expect(ClusterSlot.of("hello") == 866)
    }

    @Test(arguments: [
        ("{user1000}.following", "user1000"), ("{user1000}.followers", "user1000"), ("foo{{bar}}zap", "{bar"),
        ("foo{bar}{zap}", "bar"), ("a}b{c}", "c"),
    ])
    func aTagStandsForItsKey(_ key: String, _ tag: String) {
        #expect(ClusterSlot.of(key) == ClusterSlot.of(tag))
    }

    @Test(arguments: ["foo{}{bar}", "{}", "a{b", "a}b", "{"])
    func withoutATagTheWholeKeyCounts(_ key: String) {
        let whole = Array(key.utf8).withUnsafeBytes { ClusterSlot.crc16($0) } % 16_384
        #expect(ClusterSlot.of(key) == whole)
    }
}

@Suite struct CommandRouteTests {
    private static let script = RedisScript(name: "one", source: "return 1")

    @Test(arguments: [
        RedisCommand("GET", "k"), RedisCommand("set", "k", "v"), RedisCommand("HSET", "k", "f", 7),
        RedisCommand("XADD", "k", "*", "f", "v"), RedisCommand("XGROUP", "CREATE", "k", "g", "0"),
        RedisCommand("XINFO", "STREAM", "k"), RedisCommand("OBJECT", "ENCODING", "k"),
        RedisCommand("MEMORY", "USAGE", "k"), RedisCommand("XREAD", "COUNT", 5, "STREAMS", "k", "0"),
        RedisCommand("XREADGROUP", "GROUP", "g", "c", "COUNT", 5, "streams", "k", ">"),
        RedisCommand("XACK", "k", "g", "1-1"), RedisCommand("XAUTOCLAIM", "k", "g", "c", 0, "0"),
        RedisCommand(script: script, keys: ["k", "other"], arguments: [1]),
        RedisCommand("EVAL", "return 1", 1, "k"), RedisCommand("FCALL", "f", 1, "k"),
        RedisCommand("ZDIFF", 2, "k", "l"),
        RedisCommand("UNLINK", "k"), RedisCommand("UNKNOWN-COMMAND", "k"),
    ])
    func theKeyIsFound(_ command: RedisCommand) {
        #expect(CommandRoute(command) == .slot(ClusterSlot.of("k")), "\(command)")
    }

    @Test func theKeyOfAPreparedCallIsFound() {
        var head = RedisScriptCall(CommandRouteTests.script, keyCount: 1, byteCountHint: 10)
        head.append("k")
        var call = RedisScriptCall(copying: head, byteCountHint: 20)
        call.append("argument")
        #expect(CommandRoute(call.finish()) == .slot(ClusterSlot.of("k")))
        let source = RedisCommand(script: CommandRouteTests.script, keys: ["k"]).withScriptSource
        #expect(source.map { CommandRoute($0) } == .slot(ClusterSlot.of("k")))
    }

    @Test(arguments: [
        RedisCommand("PING"), RedisCommand("SCRIPT", "LOAD", "return 1"), RedisCommand("info", "server"),
        RedisCommand("EVAL", "return 1", 0), RedisCommand("CLUSTER", "SLOTS"), RedisCommand("MEMORY", "DOCTOR"),
        RedisCommand("XREAD", "COUNT", 1), RedisCommand("GET"), RedisCommand("EVALSHA"), RedisCommand(""),
    ])
    func withoutAKeyAnyNodeDoes(_ command: RedisCommand) {
        #expect(CommandRoute(command) == .any)
    }

    @Test func transactionsAreNotForAClusterThatManyShare() {
        #expect(CommandRoute(RedisCommand("MULTI")) == .unsupported)
        #expect(CommandRoute(RedisCommand("watch", "k")) == .unsupported)
    }

    @Test func bigAndBinaryKeysAreFoundToo() {
        let key: [UInt8] = [0, 13, 10, 36, 255]
        let slot = key.withUnsafeBytes { ClusterSlot.of($0) }
        #expect(CommandRoute(RedisCommand("SET", key, String(repeating: "x", count: 100_000))) == .slot(slot))
        let big = String(repeating: "k", count: 70_000)
        #expect(CommandRoute(RedisCommand("GET", big)) == .slot(ClusterSlot.of(big)))
    }
}
