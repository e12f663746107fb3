import Connecting
import Delivery
import FlatMemory
import HTTP2Core
import PoolCore
import Reactor
import TLS
import TimeCore

/// One connection of a client, from the look-up of the name to its end. It moves bytes between the transport and the
/// HTTP/2 engine, and gives the engine's events to the client.
final class PushConnection: TLSConnectionDelegate {
    let id: ConnectionID
    /// The authorization of the pushes on this connection. The client sets it.
    var authorization: AuthorizationValue?
    /// The time of the first push with `authorization`.
    var authorizedSince: MonotonicTime?
    private(set) var address: SocketAddress?
    /// True if the client gets no more events of this connection.
    private(set) var isClosed = false
    private(set) var isEstablished = false
    /// The error code of the last GOAWAY; nil before the first one.
    private var goAwayCode: UInt32?
    /// The error codes of all GOAWAYs, a bit each. Codes beyond those of RFC 9113, section 7, share bit 14.
    private var goAwayCodes: UInt16 = 0
    /// True after a GOAWAY with `NO_ERROR`: the end of the connection is normal once all its pushes are answered.
    var isEndingOrderly: Bool { goAwayCode == HTTP2ErrorCode.noError }

    /// Notes a GOAWAY. True for the first one with its error code.
    func noteGoAway(_ errorCode: UInt32) -> Bool {
        goAwayCode = errorCode
        let bit = UInt16(1) << min(errorCode, 14)
        defer { goAwayCodes |= bit }
        return goAwayCodes & bit == 0
    }

    /// The first stream opened since the provider last lowered its limit. It may refuse earlier streams.
    private(set) var firstUnderLimit: UInt32 = 1

    private unowned let client: PushClient
    /// Until the connection is established.
    private var attempt: ConnectionAttempt?
    private var transport: TLSConnection?
    /// At a fixed address, because an access through a class's property is checked for exclusivity each time.
    private let engine: UnsafeMutablePointer<HTTP2Connection>
    /// Streams from this one on have not been handed to the transport.
    private var firstUnwritten: UInt32 = 1
    /// The template that the engine has for each source.
    private var loaded = PlainBuffer<LoadedTemplate>()

    /// The most plaintext that a TLS record holds.
    private static let recordSize = 16_384

    private struct LoadedTemplate: BitwiseCopyable {
        var source: UInt64 = 0
        var epoch: UInt32 = 0
    }

    init(_ id: ConnectionID, _ client: PushClient) {
        self.id = id
        self.client = client
        engine = .allocate(capacity: 1)
        engine.initialize(to: HTTP2Connection(now: client.reactor.now, limits: client.dialect.answerLimits))
    }

    deinit {
        engine.deinitialize(count: 1)
        engine.deallocate()
    }

    /// The provider has lowered its limit of streams.
    func limitLowered() { firstUnderLimit = engine.pointee.nextStream }

    /// Ciphertext that the socket has not taken.
    var backlog: Int { transport?.backlog ?? 0 }

    func start() {
        let attempt = ConnectionAttempt(client.connector) { [weak self] result in
            guard let self, !self.isClosed else { return }
            self.attempt = nil
            switch result {
            case .success(let connected):
                self.address = connected.address
                self.transport = connected.transport
                connected.transport.delegate = self
                self.isEstablished = true
                self.client.connectionEstablished(self)
            case .failure(let failure): self.client.connectionEnded(self, failure.reason)
            }
        }
        self.attempt = attempt
        attempt.start()
    }

    /// Ends the connection without another word to the client.
    func close(abruptly: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        if isEstablished, !abruptly {
            engine.pointee.goAway()
            flush()
        }
        attempt?.stop()
        attempt = nil
        transport?.close(abruptly: abruptly)
        transport?.delegate = nil
    }

    /// Hands the engine's output to the transport, up to a backlog while the socket accepts nothing. The engine limits
    /// the replies that a peer requests and does not read.
    func flush() {
        // The engine may add more of a body when output is taken.
        while engine.pointee.output.count > 0, backlog <= PushClient.backlogLimit, hand(engine.pointee.output.count) {}
    }

    /// Like `flush`, but for whole TLS records only, while more pushes follow.
    func flushRecords() {
        _ = hand(engine.pointee.output.count & ~(PushConnection.recordSize - 1))
    }

    /// Gives `size` bytes to the transport; false when it takes nothing any more.
    private func hand(_ size: Int) -> Bool {
        guard size > 0, let transport, isEstablished,
            transport.send(UnsafeRawBufferPointer(rebasing: engine.pointee.output[..<size]))
        else { return false }
        // The provider may have seen a stream of which the transport has a part.
        firstUnwritten = engine.pointee.nextStream
        engine.pointee.outputTaken(size)
        return true
    }

    // MARK: From the transport

    func connectionEstablished(_ connection: TLSConnection) {
        // The attempt hands over an established connection.
    }

    func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard !isClosed else { return }
        engine.pointee.receive(plaintext, now: client.reactor.now)
        client.connectionReceived(self)
    }

    func connectionDrained(_ connection: TLSConnection) {
        guard !isClosed else { return }
        client.connectionDrained(self)
    }

    func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        guard !isClosed, connection === transport else { return }
        client.connectionEnded(self, address.map { "\($0): \(end)" } ?? end.description)
    }
}

// The engine's methods for the client.
extension PushConnection {
    /// The reason for which the engine cannot continue; nil while it can.
    var failure: HTTP2Failure? { engine.pointee.failure }

    /// True if the engine opens no more streams.
    var isFinished: Bool { engine.pointee.isFinished }

    /// True if the provider's window has room for bodies.
    var hasSendWindow: Bool { engine.pointee.hasSendWindow }

    /// Plaintext that has not been handed to the transport.
    var pendingOutput: Int { engine.pointee.output.count }

    /// True if the engine is ready for pushes of this source with the authorization of this epoch.
    @inline(__always)
    func isLoaded(_ source: UInt32, identity: UInt64, epoch: UInt32) -> Bool {
        guard Int(source) < loaded.count else { return false }
        let present = loaded[Int(source)]
        return present.source == identity && present.epoch == epoch
    }

    /// Makes the engine ready for them.
    func load(_ request: HTTP2RequestTemplate, _ source: UInt32, identity: UInt64, epoch: UInt32) {
        while loaded.count <= Int(source) { loaded.append(LoadedTemplate()) }
        engine.pointee.setTemplate(request, at: Int(source))
        loaded[Int(source)] = LoadedTemplate(source: identity, epoch: epoch)
    }

    /// The source is gone.
    func unload(_ source: UInt32) {
        guard Int(source) < loaded.count, loaded[Int(source)].source != 0 else { return }
        engine.pointee.setTemplate(nil, at: Int(source))
        loaded[Int(source)] = LoadedTemplate()
    }

    /// Opens a stream for a push of a source that is loaded; nil when the engine takes none.
    @inline(__always)
    func open(_ source: UInt32, _ token: UnsafeRawBufferPointer, slot: UInt32, tag: UInt32) -> UInt32? {
        engine.pointee.open(template: Int(source), token: token, number: slot, tag: tag)
    }

    /// Gives a stream up; its push gets no event. True when the provider may have processed it.
    func cancel(_ stream: UInt32) -> Bool {
        engine.pointee.cancel(stream) && stream < firstUnwritten
    }

    /// Takes the answer for complete if its status has come; the client then has events to handle.
    func settle(_ stream: UInt32) -> Bool { engine.pointee.settle(stream) }

    /// True if the provider may have processed the push.
    func isWritten(_ stream: UInt32) -> Bool {
        stream < firstUnwritten && engine.pointee.isWritten(stream)
    }

    /// True if a stream can be opened now.
    var acceptsStreams: Bool { engine.pointee.acceptsStreams }

    func ping() { engine.pointee.ping() }

    /// Calls `handle` for each event, in order. It may open streams and cancel others.
    func takeEvents(_ handle: (HTTP2Event) -> Void) {
        var index = 0
        while index < engine.pointee.events.count {
            handle(engine.pointee.events[index])
            index += 1
        }
        engine.pointee.clearEvents()
    }

    func takeDetails(_ index: UInt32) -> HTTP2AnswerDetails { engine.pointee.takeDetails(index) }
}
