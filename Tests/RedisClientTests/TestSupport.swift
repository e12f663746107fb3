import Foundation
import Reactor
import RedisClient
import RedisServerProcess
import TestStore
import Testing
import TimeCore

/// Runs `body` with a redis-server and a reactor of its own, and ends both.
func withServer(
    _ options: RedisServerOptions = RedisServerOptions(),
    _ body: (RedisServerProcess, Reactor) async throws -> Void
) async throws {
    let directory = "/tmp/fanfare-redis-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var options = options
    if StoreBackend.isEncrypted, options.tls == nil { options.tls = TestTLS.server }
    let server = try await RedisServerProcess.start(in: directory, options: options, deadline: .seconds(30))
    try await withReactor { reactor in try await body(server, reactor) }
    await server.stop()
}

func withReactor(_ body: (Reactor) async throws -> Void) async throws {
    let reactor = try Reactor(name: "test")
    do {
        try await body(reactor)
    } catch {
        reactor.stop()
        throw error
    }
    reactor.stop()
}

/// Runs `body` with a client of a fresh server, and shuts it down.
func withClient(
    _ change: (inout RedisClientOptions) -> Void = { _ in },
    _ body: (RedisClient, RedisServerProcess) async throws -> Void
) async throws {
    var options = RedisClientOptions()
    change(&options)
    try await withServer { server, reactor in
        let client = RedisClient(reactor: reactor, endpoint: server.endpoint, options: options)
        do {
            try await body(client, server)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }
}

/// Waits until `condition` holds; false when it does not within `seconds`.
func eventually(within seconds: Int = 30, _ condition: () async -> Bool) async -> Bool {
    let end = MonotonicTime.now() + .seconds(seconds)
    while MonotonicTime.now() < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// Runs `body` on the reactor and waits for what it hands over.
func onReactor<Value: Sendable>(
    _ reactor: Reactor, _ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    await withCheckedContinuation { continuation in
        reactor.execute { body { continuation.resume(returning: $0) } }
    }
}
