import Glibc
public import Reactor
public import TimeCore

/// The reason for the end of a connection.
public enum ConnectionEnd: Error, Equatable, Sendable, CustomStringConvertible {
    /// The peer closed its side.
    case closedByPeer
    /// `close` was called.
    case closedByUs
    case timedOut(String)
    case socket(SystemError)
    case tls(TLSError)
    /// The proxy did not open a tunnel.
    case proxy(String)

    public var description: String {
        switch self {
        case .closedByPeer: "the peer closed the connection"
        case .closedByUs: "closed"
        case .timedOut(let what): "\(what) timed out"
        case .socket(let error): error.description
        case .tls(let error): error.description
        case .proxy(let reason): "the proxy did not open a tunnel: \(reason)"
        }
    }
}

/// The events of a connection for its owner, always on the reactor's thread.
public protocol TLSConnectionDelegate: AnyObject {
    /// The handshake is complete and ALPN agreed.
    func connectionEstablished(_ connection: TLSConnection)
    /// Plaintext from the peer; valid during the call only.
    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer)
    /// The socket has taken the whole backlog after it had been full.
    func connectionDrained(_ connection: TLSConnection)
    /// The connection is over; nothing follows. Never called from within a call of the owner's.
    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd)
}

/// A TLS connection over a socket on a reactor: plaintext in, plaintext out.
///
/// Bytes sent during a turn are gathered and go to the socket once, at the end of the turn. The sender
/// watches `backlog` as back-pressure, and stops above a mark of its own. Lives on its reactor's thread.
public final class TLSConnection: DescriptorHandler, TurnParticipant {
    /// The receiver of events. Without a delegate, events are dropped.
    public weak var delegate: (any TLSConnectionDelegate)?
    /// The reactor of the connection.
    public let reactor: Reactor

    enum State {
        case connecting, tunneling, open, closed
    }

    let session: TLSSession
    /// The protocol that ALPN agreed on, once established; nil for none.
    public var applicationProtocol: String? { session.applicationProtocol }
    /// The tunnel through a proxy while it is being opened, and the bytes of its request that the socket has taken.
    var tunnel: ProxyTunnel?
    var tunnelSent = 0
    let descriptor: Int32
    private var watch: Watch?
    private(set) var state: State
    private var isEstablished = false
    private var hasHeard = false
    private var wantsWrite = false
    private var isBacklogged = false
    private var flushIsDue = false
    private var isClosing = false
    /// The error after which the socket takes no more output.
    private var outputError: SystemError?
    private var deadline: ReactorTimer?

    /// A client's connection; the attempt is under way when this returns. TCP, the tunnel through a proxy, and TLS
    /// together have `timeout`. With a tunnel, `address` is the address of the proxy.
    /// - Parameter orNames: The peer's certificate may be for one of these in place of `hostName`.
    public static func connect(
        to address: SocketAddress, through tunnel: ProxyTunnel? = nil, hostName: String, orNames: [String] = [],
        context: TLSContext, timeout: TimeInterval, on reactor: Reactor
    ) throws(ConnectionEnd) -> TLSConnection {
        do {
            let session = try TLSSession.client(context, hostName: hostName, orNames: orNames)
            let descriptor = try Socket.connect(to: address)
            let connection = try TLSConnection(session, descriptor, .connecting, timeout, reactor)
            connection.tunnel = tunnel
            return connection
        } catch {
            throw ConnectionEnd(error)
        }
    }

    /// The server's side of a socket that was accepted, which the connection owns from here on, also when this throws.
    /// The handshake has `timeout`.
    public static func accept(
        _ descriptor: Int32, context: TLSContext, timeout: TimeInterval, on reactor: Reactor
    ) throws(ConnectionEnd) -> TLSConnection {
        let session: TLSSession
        do {
            session = try TLSSession.server(context)
        } catch {
            Socket.close(descriptor)
            throw .tls(error)
        }
        do {
            return try TLSConnection(session, descriptor, .open, timeout, reactor)
        } catch {
            throw .socket(error)
        }
    }

    private init(
        _ session: TLSSession, _ descriptor: Int32, _ state: State, _ timeout: TimeInterval, _ reactor: Reactor
    ) throws(SystemError) {
        self.session = session
        self.descriptor = descriptor
        self.state = state
        self.reactor = reactor
        let interest: Interest = state == .connecting ? [.read, .write] : .read
        wantsWrite = state == .connecting
        do {
            watch = try reactor.watch(descriptor, interest, self)
        } catch {
            Socket.close(descriptor)
            self.state = .closed
            throw error
        }
        deadline = reactor.schedule(after: timeout) { [weak self] in
            guard let self, !self.isEstablished else { return }
            self.end(.timedOut(self.state == .tunneling ? "the proxy's answer" : "connecting"))
        }
    }

    deinit {
        if state != .closed { Socket.close(descriptor) }
    }

    /// Ciphertext that the socket has not taken yet, in bytes.
    public var backlog: Int { session.pendingOutput }

    /// Has the kernel probe a peer that has been silent for the interval.
    public func keepAlive(every interval: TimeInterval) {
        guard state != .closed else { return }
        Socket.keepAlive(descriptor, every: interval)
    }

    /// True if the peer has accepted the connection and has not sent anything.
    public var isMute: Bool { state == .open && !hasHeard }

    /// True after the end of the connection.
    public var isClosed: Bool { state == .closed }

    /// Encrypts `plaintext`; it leaves at the end of the turn, or at once when the backlog passes 128 KiB.
    /// False when the connection is not established or over: then nothing of it leaves.
    @discardableResult
    public func send(_ plaintext: UnsafeRawBufferPointer) -> Bool {
        guard state == .open, isEstablished, !isClosing, outputError == nil else { return false }
        guard session.write(plaintext) else {
            // Some of it may be encrypted, and leaves with the last bytes.
            endIfBroken()
            return true
        }
        if session.pendingOutput >= 131_072, !isBacklogged { flush() } else { requestFlush() }
        return true
    }

    /// Sends pending bytes and close_notify as far as the socket takes them, and closes. Resets the connection instead
    /// if `abruptly` is true. The delegate receives `.closedByUs` in a later turn.
    public func close(abruptly: Bool = false) {
        guard state != .closed else { return }
        if abruptly {
            Socket.resetOnClose(descriptor)
        } else if isEstablished {
            // The delegate must not get `connectionDrained` while the connection closes.
            isClosing = true
            session.close()
            flush()
        }
        end(.closedByUs)
    }

    // MARK: Events from the reactor

    /// For the reactor alone.
    public func descriptorReady(_ readiness: Readiness) {
        if state == .connecting {
            guard readiness.isWritable else { return }
            if let error = Socket.connectionError(descriptor) { return end(.socket(error)) }
            guard tunnel == nil else {
                state = .tunneling
                return sendToProxy()
            }
            return beginHandshake()
        }
        if state == .tunneling {
            if readiness.isReadable { receiveFromProxy() }
            if readiness.isWritable, state == .tunneling { sendToProxy() }
            return
        }
        guard state == .open else { return }
        // Reading comes first, because writing to a peer that has gone fails and its last bytes would be lost.
        if readiness.isReadable { receive() }
        if readiness.isWritable { flush() }
    }

    func beginHandshake() {
        state = .open
        session.handshake()
        flush()
        endIfBroken()
    }

    /// For the reactor alone.
    public func turnEnded() {
        flushIsDue = false
        flush()
    }

    private func receive() {
        withUnsafeTemporaryAllocation(byteCount: 262_144, alignment: 16) { buffer in
            // A few rounds at most, so that one busy peer does not keep the others waiting.
            for _ in 0..<4 {
                guard state == .open else { return }
                switch Socket.receive(descriptor, into: buffer) {
                case .transferred(let count):
                    hasHeard = true
                    session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    advance()
                    if count < buffer.count { return }
                case .wouldBlock: return
                case .ended: return end(outputError.map { .socket($0) } ?? .closedByPeer)
                case .failed(let error): return end(.socket(error))
                }
            }
        }
    }

    /// Handshake, then plaintext, as far as the ciphertext received goes.
    func advance() {
        if !isEstablished {
            session.handshake()
            requestFlush()
            guard session.progress == .established else { return endIfBroken() }
            isEstablished = true
            if let deadline { reactor.cancel(deadline) }
            delegate?.connectionEstablished(self)
        }
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while state == .open {
                // A record gives at most 16 KiB; filling the buffer saves calls of the delegate.
                var filled = 0
                while filled + 16_384 <= buffer.count {
                    let count = session.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                    if count == 0 { break }
                    filled += count
                }
                if filled == 0 { break }
                delegate?.connection(self, received: UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
            }
        }
        endIfBroken()
    }

    private func endIfBroken() {
        switch session.progress {
        case .failed(let error):
            sendLastWords()
            end(.tls(error))
        case .closed:
            sendLastWords()
            end(.closedByPeer)
        case .handshaking, .established: break
        }
    }

    private func requestFlush() {
        guard !flushIsDue, !isBacklogged else { return }
        flushIsDue = true
        reactor.atEndOfTurn(self)
    }

    /// Sends pending bytes, for example an alert, as far as the socket takes them. Ignores a failure, because the end
    /// is decided.
    private func sendLastWords() {
        isClosing = true
        flush()
    }

    private func flush() {
        guard state == .open, outputError == nil else { return }
        var failure: SystemError?
        while session.pendingOutput > 0, failure == nil {
            var blocked = false
            session.takeOutput { bytes in
                switch Socket.send(descriptor, bytes) {
                case .transferred(let count):
                    blocked = count < bytes.count
                    return count
                case .wouldBlock, .ended:
                    blocked = true
                    return 0
                case .failed(let error):
                    failure = error
                    return 0
                }
            }
            if blocked { break }
        }
        if let failure { return outputFailed(failure) }
        let wasBacklogged = isBacklogged
        isBacklogged = session.pendingOutput > 0
        watchForWriting(isBacklogged)
        if wasBacklogged, !isBacklogged, isEstablished, !isClosing { delegate?.connectionDrained(self) }
    }

    /// The peer takes nothing more. Bytes that it sent before may still be in the socket, and show which requests it
    /// has seen. They are read first, in a turn of their own because the owner may be in the middle of a call.
    private func outputFailed(_ error: SystemError) {
        outputError = error
        guard !isClosing else { return }
        reactor.schedule(at: reactor.now) { [self] in
            receive()
            end(.socket(error))
        }
    }

    func watchForWriting(_ wanted: Bool) {
        guard wanted != wantsWrite, let watch else { return }
        wantsWrite = wanted
        do {
            try reactor.rewatch(watch, wanted ? [.read, .write] : .read)
        } catch {
            end(.socket(error))
        }
    }

    func end(_ reason: ConnectionEnd) {
        guard state != .closed else { return }
        state = .closed
        if let deadline { reactor.cancel(deadline) }
        if let watch { reactor.unwatch(watch) }
        watch = nil
        Socket.close(descriptor)
        // In a turn of its own, so that an owner never receives the end in the middle of a call.
        reactor.schedule(at: reactor.now) { [self] in
            delegate?.connectionEnded(self, reason)
        }
    }
}

extension ConnectionEnd {
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as SystemError: self = .socket(error)
        case let error as TLSError: self = .tls(error)
        case let error as ConnectionEnd: self = error
        default: self = .tls(TLSError("\(error)"))
        }
    }
}
