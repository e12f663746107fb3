import Reactor
import RedisClient
import TimeCore

/// Copies Fanfare's keys with their expiry from backups into a Redis. A marker key records that the transfer is
/// incomplete. The keys that identify a store to gateways and to `restore` are written last.
struct StoreTransfer {
    /// The number of copied keys.
    private(set) var restored = 0
    /// The number of skipped keys, which are not Fanfare's.
    private(set) var foreign = 0
    private let target: RedisClient
    private let reactor: Reactor
    private let display: StepDisplay
    private var held: [RedisCommand] = []

    /// The prefix of all Fanfare keys.
    private static let prefix = Array("fanfare:".utf8)
    /// Keys that identify a store.
    private static let marks = ["fanfare:layout", "fanfare:tenants"]
    private static let unfinished = "fanfare:restoring"
    private static let keysAtOnce = 200
    private static let deadline = TimeInterval.seconds(60)

    init(to target: RedisClient, _ reactor: Reactor, _ display: StepDisplay) {
        (self.target, self.reactor, self.display) = (target, reactor, display)
    }

    /// Throws if a store exists. Deletes the keys of an interrupted transfer.
    func begin() async throws {
        try await translated {
            for mark in StoreTransfer.marks {
                guard try await target.value(RedisCommand("EXISTS", mark)).int == 0 else {
                    throw CommandFailure(
                        "the Redis already has a store (\(mark)); name an empty one in redis.data_dir or redis.url")
                }
            }
            // In a cluster, the new transfer overwrites the keys of an interrupted one.
            guard try await target.value(RedisCommand("EXISTS", StoreTransfer.unfinished)).int == 1, !target.isCluster
            else { return }
            try await pages(of: target) { own, _ in
                if !own.isEmpty { _ = try await target.value(RedisCommand("UNLINK", arguments: own)) }
            }
        }
    }

    /// Copies the keys of a backup. Throws at the first key that cannot be copied.
    /// - Parameter database: The database in the backup; nil for the only one with Fanfare keys.
    mutating func add(_ copy: LoadedCopy, named name: String, database: Int?) async throws {
        let found = try await databases(of: copy)
        guard found.count <= 1 || database != nil else {
            throw CommandFailure(
                "\(name) has Fanfare keys in the databases \(found.map(String.init).joined(separator: ", ")); choose one "
                    + "with --database")
        }
        guard let database = database ?? found.first else { return }
        try await translated { _ = try await target.value(RedisCommand("SET", StoreTransfer.unfinished, "1")) }
        let source = RedisClient(reactor: reactor, endpoint: copy.endpoint(database: database))
        let result: Result<Void, any Error>
        do {
            result = .success(try await move(from: source, named: name))
        } catch {
            result = .failure(error)
        }
        await source.shutdown()
        try result.get()
    }

    /// Completes the store. Throws if the backups have no Fanfare key.
    mutating func finish() async throws {
        guard restored + held.count > 0 else { throw CommandFailure("the copy has no Fanfare store") }
        try await translated {
            for result in await target.pipeline(held, deadline: StoreTransfer.deadline) { _ = try result.get() }
            _ = try await target.value(RedisCommand("DEL", StoreTransfer.unfinished))
        }
        restored += held.count
        held = []
    }

    /// Returns the databases of a backup that have a Fanfare key.
    private func databases(of copy: LoadedCopy) async throws -> [Int] {
        var found: [Int] = []
        for database in 0..<16 {
            let client = RedisClient(reactor: reactor, endpoint: copy.endpoint(database: database))
            var isOne = false
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await translated {
                        try await pages(of: client) { own, _ in
                            guard !own.isEmpty else { return }
                            isOne = true
                            throw Enough()
                        }
                    })
            } catch {
                result = error is Enough ? .success(()) : .failure(error)
            }
            await client.shutdown()
            try result.get()
            if isOne { found.append(database) }
        }
        return found
    }

    private struct Enough: Error {}

    private mutating func move(from source: RedisClient, named name: String) async throws {
        let before = restored + foreign + held.count
        var (restored, foreign, held) = (restored, foreign, held)
        try await translated {
            display.began(name, total: Int(try await source.value(RedisCommand("DBSIZE")).int ?? 0))
            try await pages(of: source) { own, others in
                let asked = own.flatMap { [RedisCommand("DUMP", $0), RedisCommand("PTTL", $0)] }
                let answers = try await source.pipeline(asked, deadline: StoreTransfer.deadline).map { try $0.get() }
                var commands: [RedisCommand] = []
                for (index, key) in own.enumerated() {
                    let left = answers[2 * index + 1].int ?? -2
                    // A key that expired since the scan is skipped.
                    guard let value = answers[2 * index].bytes, left != -2 else { continue }
                    // Zero would mean no expiry, so a remaining time below a millisecond becomes one.
                    let command = RedisCommand("RESTORE", key, left < 0 ? 0 : max(1, left), value, "REPLACE")
                    if StoreTransfer.marks.contains(where: { Array($0.utf8) == key }) {
                        held.append(command)
                    } else if Array(StoreTransfer.unfinished.utf8) != key {
                        commands.append(command)
                    }
                }
                for result in await target.pipeline(commands, deadline: StoreTransfer.deadline) { _ = try result.get() }
                restored += commands.count
                foreign += others
                display.progressed(name, done: restored + foreign + held.count - before)
            }
            display.ended(name, note: "keys")
        }
        (self.restored, self.foreign, self.held) = (restored, foreign, held)
    }

    /// Scans all keys of a server. Passes each page's Fanfare keys and the number of its other keys.
    private func pages(
        of client: RedisClient, _ body: (_ own: [[UInt8]], _ others: Int) async throws -> Void
    ) async throws {
        var cursor = "0"
        repeat {
            try Interruption.check()
            let page = try await client.value(
                RedisCommand("SCAN", cursor, "COUNT", StoreTransfer.keysAtOnce), deadline: StoreTransfer.deadline)
            guard let parts = page.array, parts.count == 2, let next = parts[0].string else {
                throw CommandFailure("Redis answered SCAN with an unexpected reply")
            }
            cursor = next
            let keys = (parts[1].array ?? []).compactMap(\.bytes)
            let own = keys.filter { $0.starts(with: StoreTransfer.prefix) }
            try await body(own, keys.count - own.count)
        } while cursor != "0"
    }

    /// Converts Redis errors into messages for operators.
    private func translated<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as RedisError {
            guard "\(error)".contains("DUMP payload version") else { throw CommandFailure("\(error)") }
            throw CommandFailure(
                "the Redis is older than the local redis-server and rejects its values: set redis.server_path to a redis-server "
                    + "of the same version")
        }
    }
}
