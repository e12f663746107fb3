import Dispatch
import Glibc
import Reactor

/// A relay to a port of this machine that can be cut and mended.
final class Relay: Sendable {
    /// The port on which it listens.
    let port: UInt16
    private let target: UInt16
    private let source: String
    private let greeting: [UInt8]
    private let delay: UInt32
    private let state: Locked<State>

    private struct State {
        var listener: Int32?
        /// Both ends of each connection.
        var ends: Set<Int32> = []
    }

    struct Failed: Error {
        let step: String
        let code = errno
    }

    // SOCK_STREAM, MSG_NOSIGNAL and SHUT_RDWR, whose types differ between modules.
    private static let streamSocket: Int32 = 1
    private static let noSignal: Int32 = 0x4000
    private static let bothWays: Int32 = 2

    /// - Parameters:
    ///   - source: The address from which it connects.
    ///   - greeting: The first bytes of each connection to the target.
    ///   - delay: The delay of the target's bytes, in milliseconds.
    init(to target: UInt16, from source: String = "127.0.0.1", greeting: String = "", delay: Int = 0) throws {
        self.target = target
        self.source = source
        self.greeting = Array(greeting.utf8)
        self.delay = UInt32(delay * 1000)
        let listener = try Relay.listen(0)
        guard let port = SocketName.port(of: listener) else { throw Failed(step: "getsockname") }
        self.port = port
        state = Locked(State(listener: listener))
        accept(listener)
    }

    /// Ends all connections and refuses new ones.
    func cut() {
        // The shutdown wakes blocked calls, and their threads close the sockets.
        state.withLock { state in
            if let listener = state.listener { shutdown(listener, Relay.bothWays) }
            state.listener = nil
            for end in state.ends { shutdown(end, Relay.bothWays) }
        }
    }

    /// Accepts connections again at the same port.
    func mend() throws {
        let listener = try Relay.listen(port)
        state.withLock { $0.listener = listener }
        accept(listener)
    }

    private func accept(_ listener: Int32) {
        DispatchThread.run { [self] in
            while true {
                let client = Glibc.accept(listener, nil, nil)
                guard client >= 0 else { break }
                join(client, from: listener)
            }
            close(listener)
        }
    }

    /// Connects a client with the target, unless the relay was cut meanwhile.
    private func join(_ client: Int32, from listener: Int32) {
        let server = socket(AF_INET, Relay.streamSocket, 0)
        let isConnected =
            SocketName.with(source, port: 0) { bind(server, $0, $1) } == 0
            && SocketName.with("127.0.0.1", port: target) { connect(server, $0, $1) } == 0
            && send(server, greeting, greeting.count, Relay.noSignal) == greeting.count
        let isOpen = state.withLock { state in
            guard isConnected, state.listener == listener else { return false }
            state.ends.formUnion([client, server])
            return true
        }
        guard isOpen else {
            close(client)
            close(server)
            return
        }
        DispatchThread.run { [self] in
            let isAnswered = DispatchSemaphore(value: 0)
            DispatchThread.run { [delay] in
                Relay.pass(from: server, to: client, after: delay)
                isAnswered.signal()
            }
            Relay.pass(from: client, to: server)
            isAnswered.wait()
            state.withLock { $0.ends.subtract([client, server]) }
            close(client)
            close(server)
        }
    }

    /// Copies bytes until either side ends, then shuts both down.
    private static func pass(from source: Int32, to destination: Int32, after delay: UInt32 = 0) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        reading: while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            if delay > 0 { usleep(delay) }
            var sent = 0
            while sent < count {
                let more = buffer.withUnsafeBytes { send(destination, $0.baseAddress! + sent, count - sent, noSignal) }
                guard more > 0 else { break reading }
                sent += more
            }
        }
        shutdown(source, bothWays)
        shutdown(destination, bothWays)
    }

    private static func listen(_ port: UInt16) throws -> Int32 {
        let listener = socket(AF_INET, streamSocket, 0)
        var reuse: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        guard SocketName.with("127.0.0.1", port: port, { bind(listener, $0, $1) }) == 0, Glibc.listen(listener, 64) == 0
        else {
            defer { close(listener) }
            throw Failed(step: "listen")
        }
        return listener
    }
}
