import Foundation
import Reactor
import RedisClient
import Testing

@testable import GatewayStore

/// A server between a client and its Redis that refuses the write commands of each script in turn.
///
/// Each call of a script runs once with all rights. Then it runs again for each write command that it has used. The
/// data from before come back, and the call fails without the right to the command. With the right it is repeated, and
/// must leave the same data and reply as the first call.
final class RefusingProxy: Sendable {
    private let proxy: CommandProxy
    private let state: Locked<State>
    private let refusals: ScriptRefusals

    /// One command of a client at a time uses it.
    private struct State {
        /// A connection with all rights.
        var control: RespConnection
        var closed = false
    }

    var endpoint: RedisEndpoint { proxy.endpoint }

    /// - Parameter endpoint: The Redis's unix socket.
    init(to endpoint: RedisEndpoint, _ refusals: ScriptRefusals) throws {
        self.refusals = refusals
        proxy = try CommandProxy(to: endpoint)
        var control = try RespConnection(to: proxy.server)
        try control.ask("ACL", "SETUSER", "control", "on", "nopass", "~*", "&*", "+@all")
        try control.ask("AUTH", "control", "any")
        state = Locked(State(control: control))
        proxy.serve { [self] call, upstream in
            let reply = state.withLock { state in
                state.closed ? nil : try? answer(call, &upstream, &state.control)
            }
            guard let reply else { throw RespConnection.Closed() }
            return reply
        }
    }

    func stop() {
        proxy.stop()
        state.withLock {
            $0.control.end()
            $0.closed = true
        }
    }

    private func answer(
        _ call: RespConnection.Message, _ upstream: inout RespConnection, _ control: inout RespConnection
    ) throws -> RespConnection.Message {
        guard let words = call.value.array, words.first?.text?.uppercased() == "EVALSHA",
            let script = words.dropFirst().first?.text.flatMap({ ScriptRefusals.names[$0] }),
            refusals.wants(script)
        else { return try upstream.ask(call.raw) }
        let before = try control.ask("EVAL", Self.snapshot, "0").value
        try control.ask("CONFIG", "RESETSTAT")
        let reply = try upstream.ask(call.raw)
        let used = try commands(of: control.ask("INFO", "commandstats").value.text ?? "")
        let fresh = refusals.unseen(script, used)
        guard !reply.isError, !fresh.isEmpty else { return reply }
        let after = try control.ask("EVAL", Self.snapshot, "0").value
        let expected = try contents(&control)
        for command in fresh {
            try restore(before, &control)
            try control.ask("ACL", "SETUSER", "default", "-\(command.lowercased())")
            let refused = try upstream.ask(call.raw)
            try control.ask("ACL", "SETUSER", "default", "+\(command.lowercased())")
            let repeated = try upstream.ask(call.raw)
            var faults = Contents.differences(expected, try contents(&control))
            if !refused.isError { faults.append("was not refused") }
            if repeated.raw != reply.raw, spelled(repeated) != spelled(reply) {
                faults.append("replied \(spelled(repeated)), not \(spelled(reply))")
            }
            refusals.note(script, command, faults)
        }
        try restore(after, &control)
        return reply
    }

    /// A reply without the ids of new stream entries, which are times.
    private func spelled(_ reply: RespConnection.Message) -> String { Contents.withoutTimes(reply.value.described) }

    /// The write commands in a report of `INFO commandstats`.
    private func commands(of report: String) -> [String] {
        Set(report.matches(of: #/cmdstat_([a-z]+)/#).map { String($0.1).uppercased() })
            .intersection(ScriptRefusals.writes).sorted()
    }

    private func restore(_ data: RespConnection.Value, _ control: inout RespConnection) throws {
        let words = (data.array ?? []).map { $0.bytes ?? Array("\($0.int ?? 0)".utf8) }
        try control.ask(["EVAL", Self.restoring, "0"].map { Array($0.utf8) } + words)
    }

    private func contents(_ control: inout RespConnection) throws -> Contents {
        Contents(try control.ask("EVAL", Self.reading, "0").value)
    }

    private static let snapshot = """
        local all = {}
        for _, key in ipairs(redis.call('KEYS', '*')) do
            all[#all + 1] = key
            all[#all + 1] = redis.call('DUMP', key)
            local left = redis.call('PTTL', key)
            local time = redis.call('TIME')
            all[#all + 1] = left < 0 and -1 or left + time[1] * 1000 + math.floor(time[2] / 1000)
        end
        return all
        """

    private static let restoring = """
        redis.call('FLUSHDB')
        for at = 1, #ARGV, 3 do
            local expiry = ARGV[at + 2]
            redis.call('RESTORE', ARGV[at], expiry == '-1' and 0 or expiry, ARGV[at + 1], 'ABSTTL')
        end
        return 1
        """

    /// Keys with type, time to live and sorted contents, without the ids of stream entries, which are times.
    private static let reading = """
        local all, keys = {}, redis.call('KEYS', '*')
        table.sort(keys)
        for _, key in ipairs(keys) do
            local type, values = redis.call('TYPE', key).ok, {}
            if type == 'string' then
                values = { redis.call('GET', key) }
            elseif type == 'hash' then
                local flat = redis.call('HGETALL', key)
                for at = 1, #flat, 2 do values[#values + 1] = flat[at] .. ' = ' .. flat[at + 1] end
                table.sort(values)
            elseif type == 'list' then
                values = redis.call('LRANGE', key, 0, -1)
            elseif type == 'set' then
                values = redis.call('SMEMBERS', key)
                table.sort(values)
            elseif type == 'zset' then
                values = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
            else
                for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
                    values[#values + 1] = table.concat(entry[2], ' ')
                end
                for _, group in ipairs(redis.call('XINFO', 'GROUPS', key)) do
                    local pending = redis.call('XPENDING', key, group[2])
                    values[#values + 1] = 'group ' .. group[2] .. ' with ' .. pending[1] .. ' pending'
                end
            end
            for _, each in ipairs({ key, type, redis.call('PTTL', key), values }) do all[#all + 1] = each end
        end
        return all
        """
}

/// The contents of a Redis, to be compared.
private struct Contents {
    private var keys: [String: (type: String, lifetime: Int, values: [String])] = [:]

    init(_ reply: RespConnection.Value) {
        let parts = reply.array ?? []
        for at in stride(from: 0, to: parts.count - 3, by: 4) {
            keys[parts[at].described] = (
                parts[at + 1].described, parts[at + 2].int ?? 0,
                (parts[at + 3].array ?? []).map(\.described)
            )
        }
    }

    /// A text without epoch milliseconds, because scripts also read Redis's clock, and without ids of stream entries.
    static func withoutTimes(_ text: String) -> String {
        text.replacing(#/\b1[0-9]{12}(?:-[0-9]+)?\b/#, with: "time")
    }

    static func differences(_ expected: Contents, _ found: Contents) -> [String] {
        Set(expected.keys.keys).union(found.keys.keys).sorted().compactMap { key in
            guard let one = expected.keys[key] else { return "\(key) is left over" }
            guard let other = found.keys[key] else { return "\(key) is missing" }
            if one.type != other.type { return "\(key) is a \(other.type), not a \(one.type)" }
            if one.values != other.values {
                let (wanted, found) = (one.values.map(withoutTimes), other.values.map(withoutTimes))
                if wanted != found {
                    return "\(key) has \(found.filter { !wanted.contains($0) }), "
                        + "not \(wanted.filter { !found.contains($0) })"
                }
            }
            let expires = one.lifetime >= 0
            if expires != (other.lifetime >= 0) || expires && abs(one.lifetime - other.lifetime) > 10_000 {
                return "\(key) expires in \(other.lifetime), not \(one.lifetime)"
            }
            return nil
        }
    }
}

/// The refused calls of all scenarios of a test.
final class ScriptRefusals: Sendable {
    @TaskLocal static var current: ScriptRefusals?

    /// The scripts' names by digest.
    static let names = Dictionary(uniqueKeysWithValues: Scripts.all.map { ($0.digest, $0.name) })

    static let writes: Set = [
        "SET", "APPEND", "SETRANGE", "SETBIT", "HSET", "HSETNX", "HINCRBY", "HDEL", "LPUSH", "RPUSH", "RPUSHX", "LTRIM",
        "SADD", "SREM", "ZADD", "ZREM", "ZPOPMIN", "ZREMRANGEBYSCORE", "XADD", "XGROUP", "XREADGROUP", "XAUTOCLAIM",
        "XCLAIM", "XACK", "XDEL", "DEL", "UNLINK", "PERSIST", "PEXPIRE", "PEXPIREAT",
    ]

    struct Fault: Sendable {
        let script: String
        let command: String
        let text: String
    }

    private struct State {
        var seen: Set<[String]> = []
        var idle: [String: Int] = [:]
        var refused: [String: Set<String>] = [:]
        var faults: [Fault] = []
    }

    private let state = Locked(State())

    /// The commands of each script that were refused.
    var refused: [String: Set<String>] { state.withLock { $0.refused } }
    var faults: [Fault] { state.withLock { $0.faults } }

    /// False if the script's calls have used the same commands again and again.
    func wants(_ script: String) -> Bool { state.withLock { $0.idle[script, default: 0] < 24 } }

    /// The commands of a call that were not refused yet in a call that used the same commands.
    func unseen(_ script: String, _ used: [String]) -> [String] {
        state.withLock { state in
            let fresh = used.filter { state.seen.insert([script, $0] + used).inserted }
            state.idle[script] = fresh.isEmpty ? state.idle[script, default: 0] + 1 : 0
            return fresh
        }
    }

    func note(_ script: String, _ command: String, _ faults: [String]) {
        state.withLock { state in
            state.refused[script, default: []].insert(command)
            state.faults += faults.map { Fault(script: script, command: command, text: $0) }
        }
    }
}
