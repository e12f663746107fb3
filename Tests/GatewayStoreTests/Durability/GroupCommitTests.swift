import Delivery
import LiveActivity
import Reactor
import RedisClient
import TestStore
import TestSupport
import Testing

@testable import GatewayStore

@Suite("Holding starts back until the append-only file has them", .timeLimit(.minutes(2)))
struct GroupCommitTests {
    private typealias Outcome = CheckedContinuation<Bool, Never>

    @Test("An answer is held until the wait has ended, and is given and counted when it came to nothing as well")
    func held() async throws {
        let (waits, begun) = AsyncStream<Outcome>.makeStream()
        let commits = GroupCommit { await withCheckedContinuation { _ = begun.yield($0) } }
        await commits.hold()
        #expect(commits.counts == CommitCounts())
        commits.isNeeded = true
        let steps = Locked<[String]>([])
        var wait = waits.makeAsyncIterator()
        for isWritten in [true, false] {
            async let held: Void = {
                await commits.hold()
                steps.withLock { $0.append("answered") }
            }()
            let outcome = try #require(await wait.next())
            steps.withLock { $0.append("written") }
            outcome.resume(returning: isWritten)
            await held
        }
        #expect(steps.withLock { $0 } == ["written", "answered", "written", "answered"])
        #expect(commits.counts.acknowledged == 1)
        #expect(commits.counts.unacknowledged == 1)
    }

    @Test("Twenty at the same time are all answered, and share their waits")
    func shared() async {
        let waits = Locked(0)
        let commits = GroupCommit {
            waits.withLock { $0 += 1 }
            await Task.yield()
            return true
        }
        commits.isNeeded = true
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await commits.hold() } }
        }
        #expect(commits.counts.acknowledged == 20)
        #expect((1...20).contains(waits.withLock { $0 }))
    }

    /// Each argument has a reply to the mark and WAITAOF, nil to close the connection, and the expected result.
    @Test(
        "Only a server that has written the mark and says that its file has it is believed",
        arguments: Escaped.each(
            [
                ("+OK\r\n*2\r\n:1\r\n:0\r\n", true), ("+OK\r\n*2\r\n:0\r\n:0\r\n", false),
                ("+OK\r\n-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n", false),
                ("-OOM command not allowed when used memory > 'maxmemory'.\r\n*2\r\n:1\r\n:0\r\n", false), (nil, false),
            ] as [(String?, Bool)]))
    func answers(_ argument: Escaped<(String?, Bool)>) async throws {
        let (answer, isWritten) = argument.value
        let reactor = try Reactor(name: "file")
        let server = try await ScriptedServer(reactor) { pieces in
            switch pieces {
            case 0: ""
            case 1: "+PONG\r\n-ERR unknown command\r\n"
            default: answer
            }
        }
        let redis = RedisClient(reactor: reactor, endpoint: server.endpoint)
        let file = AppendOnlyFile(of: redis)
        #expect(await file.wait() == isWritten)
        await file.shutdown()
        #expect(await file.wait() == false, "nothing is waited for after the end")
        await redis.shutdown()
        reactor.stop()
    }

    @Test("With everysec a start waits where Redis knows WAITAOF, and an update never; with always nothing does")
    func real() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            func started() async throws -> Int {
                let before = stage.store.commitCounts
                let record = try await stage.started(0..<1, type: "a\(UniqueID.random())")
                _ = try await stage.begin(.update, record)
                let after = stage.store.commitCounts
                #expect(after.unacknowledged == before.unacknowledged)
                return after.acknowledged - before.acknowledged
            }
            try await stage.addDevices(0..<1)
            #expect(try await started() == 0)
            for policy in ["always", "everysec"] {
                _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "appendonly", "yes"))
                _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "appendfsync", policy))
                let facts = try #require(await stage.store.facts())
                #expect(facts.fileWait != .denied)
                let isNeeded = policy == "everysec" && facts.fileWait == .offered
                #expect(stage.store.commits.isNeeded == isNeeded)
                #expect(try await started() == (isNeeded ? 1 : 0))
            }
            // A server does not stop while it writes its first append-only file.
            _ = try await stage.redis.value(RedisCommand("CONFIG", "SET", "appendonly", "no"))
            await stage.store.shutdown()
        }
    }

    @Test("A start that Redis has no word for is answered all the same, and counted; an update is not held at all")
    func unknown() async throws {
        try await StoreStage.run(onCluster: false) { stage in
            try await stage.addDevices(0..<1)
            let record = try await stage.register(0..<1)
            // Without an append-only file, WAITAOF fails even where Redis knows it.
            stage.store.commits.isNeeded = true
            #expect(try await stage.begin(.start, record) != nil)
            #expect(try await stage.begin(.update, try await stage.read(record.activity.id)) != nil)
            #expect(stage.store.commitCounts.acknowledged == 0)
            #expect(stage.store.commitCounts.unacknowledged == 1)
            await stage.store.shutdown()
        }
    }
}
