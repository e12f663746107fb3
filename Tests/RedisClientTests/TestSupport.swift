import Foundation
import Reactor
import RedisClient
import RedisServerProcess
import Synchronization
import Testing
import TimeCore

/// Runs `body` with a redis-server and a reactor of its own, and ends both.
func withServer(
    _ options: RedisServerOptions = RedisServerOptions(),
    _ body: (RedisServerProcess, Reactor) async throws -> Void
) async throws {
    let directory = "/tmp/fanfare-redis-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
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

/// A TCP server that says what it is told to: for what no Redis would say.
final class ScriptedServer: DescriptorHandler, @unchecked Sendable {
    private let reactor: Reactor
    private let answer: @Sendable (Int) -> String?
    private var listener: Int32 = -1
    private var peers: [Peer] = []
    private let accepted = Atomic(0)
    let port: UInt16

    /// `answer` is given the number of pieces received on the connection so far, 0 when it has just been accepted;
    /// nil closes.
    init(_ reactor: Reactor, answer: @escaping @Sendable (Int) -> String?) async throws {
        self.reactor = reactor
        self.answer = answer
        let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
        (listener, port) = try Socket.listen(on: address)
        let listener = listener
        await onReactor(reactor) { done in
            _ = try? reactor.watch(listener, .read, self)
            done(())
        }
    }

    deinit {
        Socket.close(listener)
    }

    var endpoint: RedisEndpoint { RedisEndpoint(location: .tcp(host: "127.0.0.1", port: port)) }
    var connectionCount: Int { accepted.load(ordering: .relaxed) }

    func descriptorReady(_ readiness: Readiness) {
        while let descriptor = Socket.accept(listener) {
            accepted.add(1, ordering: .relaxed)
            let peer = Peer(reactor, descriptor, answer)
            peers.append(peer)
        }
    }

    private final class Peer: DescriptorHandler {
        let reactor: Reactor
        let descriptor: Int32
        let answer: @Sendable (Int) -> String?
        var watch: Watch?
        var received = 0

        init(_ reactor: Reactor, _ descriptor: Int32, _ answer: @escaping @Sendable (Int) -> String?) {
            self.reactor = reactor
            self.descriptor = descriptor
            self.answer = answer
            watch = try? reactor.watch(descriptor, .read, self)
            say()
        }

        deinit {
            if watch != nil { Socket.close(descriptor) }
        }

        func say() {
            guard let text = answer(received) else { return close() }
            let bytes = Array(text.utf8)
            _ = bytes.withUnsafeBytes { Socket.send(descriptor, $0) }
        }

        func descriptorReady(_ readiness: Readiness) {
            var buffer = [UInt8](repeating: 0, count: 65536)
            switch buffer.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) {
            case .transferred:
                received += 1
                say()
            case .wouldBlock: break
            case .ended, .failed: close()
            }
        }

        func close() {
            guard let watch else { return }
            reactor.unwatch(watch)
            self.watch = nil
            Socket.close(descriptor)
        }
    }
}
