public import Reactor
public import RedisClient
import Synchronization

/// A TCP server with scripted replies, for replies that no Redis sends.
public final class ScriptedServer: DescriptorHandler, @unchecked Sendable {
    private let reactor: Reactor
    private let answer: @Sendable (Int) -> String?
    private var listener: Int32 = -1
    private var peers: [Peer] = []
    private let accepted = Atomic(0)
    public let port: UInt16

    /// - Parameter answer: Receives the number of pieces from the connection so far, 0 right after its accept. Nil
    ///   closes the connection.
    public init(_ reactor: Reactor, answer: @escaping @Sendable (Int) -> String?) async throws {
        self.reactor = reactor
        self.answer = answer
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: 0) else { throw CancellationError() }
        (listener, port) = try Socket.listen(on: address)
        let listener = listener
        await reactor.call(stopped: ()) { done in
            _ = try? reactor.watch(listener, .read, self)
            done(())
        }
    }

    deinit {
        Socket.close(listener)
    }

    public var endpoint: RedisEndpoint { RedisEndpoint(location: .tcp(host: "127.0.0.1", port: port)) }
    public var connectionCount: Int { accepted.load(ordering: .relaxed) }

    public func descriptorReady(_ readiness: Readiness) {
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
