import RedisClient
import TimeCore

/// Brings Fanfare's keys from one Redis into another, with their times.
struct StoreTransfer {
    struct Counts {
        var restored = 0
        var foreign = 0

        mutating func add(_ other: Counts) {
            restored += other.restored
            foreign += other.foreign
        }
    }

    private let source: RedisClient
    private let target: RedisClient
    private let display: StepDisplay

    /// What all of Fanfare's keys begin with.
    private static let prefix = Array("fanfare:".utf8)
    /// Without one of these no store has been used.
    private static let marks = ["fanfare:layout", "fanfare:tenants"]
    private static let keysAtOnce = 200
    private static let deadline = TimeInterval.seconds(60)

    init(from source: RedisClient, to target: RedisClient, _ display: StepDisplay) {
        (self.source, self.target, self.display) = (source, target, display)
    }

    /// Throws when a store is there already.
    static func checkEmpty(_ target: RedisClient) async throws {
        for mark in marks {
            do {
                guard try await target.value(RedisCommand("EXISTS", mark)).int == 0 else {
                    throw CommandFailure(
                        "there is a store in that Redis already (\(mark)); restore into one that is empty")
                }
            } catch let error as RedisError {
                throw CommandFailure("\(error)")
            }
        }
    }

    /// Returns when all of the source's keys are in the target. Throws at the first that cannot be.
    func run(named name: String) async throws -> Counts {
        var counts = Counts()
        do {
            let total = try await source.value(RedisCommand("DBSIZE")).int ?? 0
            display.began(name, total: Int(total))
            var cursor = "0"
            repeat {
                try Interruption.check()
                let page = try await source.value(
                    RedisCommand("SCAN", cursor, "COUNT", StoreTransfer.keysAtOnce), deadline: StoreTransfer.deadline)
                guard let parts = page.array, parts.count == 2, let next = parts[0].string else {
                    throw CommandFailure("Redis answers SCAN with something else")
                }
                cursor = next
                let keys = (parts[1].array ?? []).compactMap(\.bytes)
                let own = keys.filter { $0.starts(with: StoreTransfer.prefix) }
                counts.foreign += keys.count - own.count
                counts.restored += try await move(own)
                display.progressed(name, done: counts.restored + counts.foreign)
            } while cursor != "0"
            display.ended(name, note: "keys")
        } catch let error as RedisError {
            throw CommandFailure("\(error)")
        }
        return counts
    }

    private func move(_ keys: [[UInt8]]) async throws -> Int {
        guard !keys.isEmpty else { return 0 }
        let asked = keys.flatMap { [RedisCommand("DUMP", $0), RedisCommand("PTTL", $0)] }
        let answers = try await source.pipeline(asked, deadline: StoreTransfer.deadline).map { try $0.get() }
        let commands = keys.indices.compactMap { index -> RedisCommand? in
            let left = answers[2 * index + 1].int ?? -2
            // One that has expired since it was listed is none any more.
            guard let value = answers[2 * index].bytes, left != -2 else { return nil }
            return RedisCommand("RESTORE", keys[index], max(0, left), value)
        }
        for result in await target.pipeline(commands, deadline: StoreTransfer.deadline) {
            // A key that SCAN tells twice is there the second time.
            if case .failure(let error) = result, !"\(error)".contains("BUSYKEY") { throw error }
        }
        return commands.count
    }
}
