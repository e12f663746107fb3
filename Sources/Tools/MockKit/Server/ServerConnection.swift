import CNghttp2
import Reactor
import TLS
import TimeCore

/// A client's connection: nghttp2's server session between the TLS transport and the service. Confined to the mock's
/// reactor.
final class ServerConnection: TLSConnectionDelegate, TurnParticipant {
    unowned let server: MockServer
    /// The number of the connection, from 1.
    let number: Int
    let transport: TLSConnection
    var session: OpaquePointer?
    /// Parses the request of an HTTP/1.1 client; nil on HTTP/2 connections.
    var http1Reader: ControlRequestReader?

    /// Objects of nghttp2's stream user data. The arrays keep them alive for reuse.
    var streams: [MockRequest] = []
    var freeStreams: [MockRequest] = []
    /// The stream of the last frame. Cached because the next frame is usually for the same stream.
    var current: MockRequest?

    var streamsBegun = 0
    /// Complete requests that were processed, without those with `MockDecision.isAside`.
    var requests = 0
    var goAway = GoAwayProgress()
    var limits: StreamLimitProgress

    private var isEstablished = false
    private var isOver = false
    /// True if the connection is closed or will be at the end of the turn. Further input is ignored.
    private(set) var isEnding = false
    private var flushIsDue = false
    private var isSilent = false
    var isLingering = false

    /// The unsent output, in bytes, above which the session produces no more. The client's stream limit bounds the
    /// session's own queue.
    private static let maximumBacklog = 1 << 20

    init(_ transport: TLSConnection, number: Int, server: MockServer) {
        self.transport = transport
        self.number = number
        self.server = server
        limits = StreamLimitProgress(server.script.streamLimit, usual: server.options.maxConcurrentStreams)
        transport.delegate = self
    }

    deinit {
        nghttp2_session_del(session)
    }

    // MARK: The transport

    func connectionEstablished(_ connection: TLSConnection) {
        isEstablished = true
        server.connectionEstablished()
        guard transport.applicationProtocol != Self.http1 else {
            http1Reader = ControlRequestReader()
            return
        }
        do {
            try openSession()
        } catch {
            transport.close(abruptly: true)
            return
        }
        holdBackSettings(server.script.settings)
        requestFlush()
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        if http1Reader != nil { return receivedHTTP1(plaintext) }
        guard let session else { return }
        let bytes = plaintext.assumingMemoryBound(to: UInt8.self)
        let taken = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
        guard !isOver else { return }
        requestFlush()
        if taken < 0 {
            server.journal.count { $0.protocolErrors += 1 }
            close(abruptly: false)
        }
    }

    func connectionDrained(_ connection: TLSConnection) {
        requestFlush()
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        isOver = true
        isEnding = true
        countUnfinished()
        server.connectionEnded(self, wasEstablished: isEstablished)
        nghttp2_session_del(session)
        session = nil
    }

    /// Closes the connection: with a reset at once, or at the end of the turn after the pending output. Orderly closing
    /// is deferred because nghttp2 must not be asked for output inside its callbacks.
    func close(abruptly: Bool) {
        guard !isOver else { return }
        isEnding = true
        guard abruptly else { return requestFlush() }
        isOver = true
        transport.close(abruptly: true)
    }

    // MARK: Output

    func requestFlush() {
        guard !flushIsDue, !isOver else { return }
        flushIsDue = true
        server.reactor.atEndOfTurn(self)
    }

    func turnEnded() {
        flushIsDue = false
        flush()
        guard isEnding, !isOver else { return }
        isOver = true
        transport.close()
    }

    /// Gathers the pending frames so that they share TLS records and one system call.
    private func flush() {
        guard !isOver, !isSilent, let session else { return }
        var gathered = 0
        let buffer = server.outputBuffer
        while transport.backlog < Self.maximumBacklog {
            var data: UnsafePointer<UInt8>?
            let length = nghttp2_session_mem_send(session, &data)
            guard length > 0, let data else {
                if length < 0 { return close(abruptly: true) }
                break
            }
            if gathered + length > buffer.count {
                transport.send(UnsafeRawBufferPointer(rebasing: buffer[..<gathered]))
                gathered = 0
            }
            let frame = UnsafeRawBufferPointer(start: data, count: length)
            guard length <= buffer.count else {
                transport.send(frame)
                continue
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[gathered...]).copyMemory(from: frame)
            gathered += length
        }
        if gathered > 0 { transport.send(UnsafeRawBufferPointer(rebasing: buffer[..<gathered])) }
        guard !isEnding else { return }
        if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 { linger() }
    }

    /// Waits for the client to close first. Closing while its bytes are in flight would reset the connection, and the
    /// client could lose the last answers.
    private func linger() {
        guard !isLingering else { return }
        isLingering = true
        let duration = goAway.plan?.linger ?? .milliseconds(500)
        server.reactor.schedule(after: duration) { [weak self] in
            self?.close(abruptly: false)
        }
    }

    private func holdBackSettings(_ timing: ConnectionScript.SettingsTiming) {
        switch timing {
        case .atOnce: return
        case .never: isSilent = true
        case .after(let delay):
            isSilent = true
            server.reactor.schedule(after: delay) { [weak self] in
                self?.isSilent = false
                self?.requestFlush()
            }
        }
    }

    private func countUnfinished() {
        for stream in streams where stream.isInUse {
            finish(stream, inOrder: false)
        }
    }
}
