import Foundation
import GatewayStore
import Reactor
import RedisClient
import RedisServerProcess
import TimeCore

/// A store on a redis-server of its own.
struct BenchmarkStage: Sendable {
    let reactor: Reactor
    let redis: RedisClient
    let store: GatewayStore

    static func run<Result: Sendable>(_ body: @Sendable (BenchmarkStage) async throws -> Result) async throws -> Result
    {
        let directory = "\(NSTemporaryDirectory())fanfare-store-benchmark-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try await RedisServerProcess.start(in: directory)
        let reactor = try Reactor(name: "store")
        var options = RedisClientOptions()
        options.scripts = GatewayStore.scripts
        let redis = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
        let stage = BenchmarkStage(reactor: reactor, redis: redis, store: GatewayStore(redis: redis))
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(stage)) } catch { result = .failure(error) }
        await redis.shutdown()
        reactor.stop()
        await server.stop()
        return try result.get()
    }

    // MARK: What Redis says

    private func info(_ section: String, _ name: String) async throws -> Int {
        let text = try await redis.value(RedisCommand("INFO", section)).string ?? ""
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("\(name):") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }

    /// `used_memory`, once it has come to rest: Redis gives buffers back, and moves a growing table, in its own time.
    func usedMemory() async throws -> Int {
        var last = try await info("memory", "used_memory")
        var rests = 0
        for _ in 0..<200 where rests < 5 {
            try await Task.sleep(for: .milliseconds(200))
            let now = try await info("memory", "used_memory")
            rests = abs(now - last) < 4096 ? rests + 1 : 0
            last = now
        }
        return last
    }

    /// The number of commands, and of bytes in both directions, that the body costs, without the counting itself.
    func traffic(_ body: () async throws -> Void) async throws -> (commands: Int, bytes: Int) {
        func counts() async throws -> (Int, Int) {
            let commands = try await info("stats", "total_commands_processed")
            let input = try await info("stats", "total_net_input_bytes")
            return (commands, input + (try await info("stats", "total_net_output_bytes")))
        }
        let first = try await counts()
        let second = try await counts()
        try await body()
        let third = try await counts()
        return (third.0 - second.0 - (second.0 - first.0), third.1 - second.1 - (second.1 - first.1))
    }

    // MARK: Time

    /// Wall time of the body in milliseconds.
    static func milliseconds(_ body: () async throws -> Void) async throws -> Double {
        let start = MonotonicTime.now()
        try await body()
        return Double((MonotonicTime.now() - start).nanoseconds) / 1_000_000
    }

    /// The CPU time of the calling thread, in nanoseconds.
    static var threadTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
