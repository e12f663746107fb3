public import Connecting
import HTTP2Core
public import Reactor
import TLS
public import TimeCore

/// Makes rare calls to one provider over HTTP/2 and reads the answers. Its one connection is opened for a call, and
/// closed after a time without calls.
///
/// Every call ends once, by its deadline at the latest. A call that the provider did not process is sent again by
/// itself, on another connection if needed. The caller handles all other failures.
///
/// Belongs to its reactor's thread, but for `init`.
public final class CallClient {
    /// Bounds.
    public struct Options: Sendable {
        /// Calls under way at the same time; further ones wait.
        public var concurrentCalls = 2
        /// The most bytes of an answer's body. A call with a longer answer fails.
        public var bodyLimit = 1 << 20
        /// The time without calls after which a connection is closed.
        public var idleTime = TimeInterval.seconds(120)

        public init() {}
    }

    let reactor: Reactor
    let connector: ProviderConnector
    let options: Options
    private var waiting: [PendingCall] = []
    /// The one that takes calls, or will.
    private var connection: CallConnection?
    /// Connections that take no more calls, and have some under way.
    private var leaving: [CallConnection] = []
    private var idleTimer: ReactorTimer?
    private var isClosed = false

    /// The most times that a call is sent again that the provider did not process.
    private static let refusalLimit = 3

    /// - Parameter connector: on the same reactor. It may be shared with others.
    public init(_ connector: ProviderConnector, options: Options = Options(), on reactor: Reactor) {
        self.connector = connector
        self.options = options
        self.reactor = reactor
    }

    var answerLimits: HTTP2Limits { HTTP2Limits(keptBody: options.bodyLimit + 1, body: options.bodyLimit) }

    /// Makes a call.
    /// - Parameters:
    ///   - deadline: from now to the end of the answer, with the time that it takes to connect.
    ///   - completion: called exactly once, on the reactor, perhaps before this returns.
    public func call(
        _ call: ProviderCall, deadline: TimeInterval,
        completion: @escaping (Result<ProviderAnswer, ProviderCallFailure>) -> Void
    ) {
        assert(reactor.isOnReactor)
        guard !isClosed, let pending = PendingCall(call, authority: connector.url.authority, completion: completion)
        else {
            let reason = isClosed ? "shut down" : "the fields are too long"
            return completion(.failure(ProviderCallFailure(reason, mayHaveBeenProcessed: false)))
        }
        pending.deadline = reactor.schedule(after: deadline) { [weak self] in
            pending.deadline = nil
            self?.deadlineCame(pending)
        }
        waiting.append(pending)
        proceed()
    }

    /// The next call goes over another connection; those under way end where they are.
    public func leaveConnection() {
        assert(reactor.isOnReactor)
        guard let connection, connection.isEstablished else { return }
        connection.goAway()
        leave(connection)
    }

    /// Ends all calls and the connection. Later calls fail.
    public func close() {
        isClosed = true
        stopIdling()
        for connection in leaving + [connection].compactMap({ $0 }) {
            let calls = connection.takeCalls()
            if connection.isEstablished { connection.goAway() }
            connection.close()
            for (call, isWritten) in calls { end(call, .failure(.init("shut down", mayHaveBeenProcessed: isWritten))) }
        }
        connection = nil
        leaving = []
        failWaiting("shut down")
    }

    /// Gives waiting calls to the connection, the oldest first.
    private func proceed() {
        if let connection, connection.isFinished { leave(connection) }
        guard !waiting.isEmpty else { return idleIfNothingIsUnderWay() }
        stopIdling()
        guard let connection else { return connect() }
        while connection.acceptsCalls, connection.count < options.concurrentCalls, let next = waiting.first {
            guard connection.send(next) else { break }
            waiting.removeFirst()
        }
        connection.flush()
    }

    private func connect() {
        let connection = CallConnection(self)
        self.connection = connection
        connection.start()
    }

    /// Gives the connection no more calls. Calls under way end on it.
    private func leave(_ connection: CallConnection) {
        if connection === self.connection { self.connection = nil }
        leaving.removeAll { $0 === connection }
        if connection.count > 0, !connection.isClosed {
            leaving.append(connection)
        } else {
            connection.close()
        }
    }

    private func deadlineCame(_ call: PendingCall) {
        guard !call.isOver else { return }
        waiting.removeAll { $0 === call }
        guard let connection = call.connection else {
            let reason =
                self.connection?.isEstablished ?? false ? "no stream was free in time" : "no connection in time"
            end(call, .failure(ProviderCallFailure(reason, mayHaveBeenProcessed: false)))
            // With no call under way the provider has blocked the connection, perhaps for good.
            if self.connection?.count == 0 { leaveConnection() }
            return proceed()
        }
        let wasWritten = connection.cancel(call)
        // The connection may be dead, so the next call uses another one.
        if !connection.isFinished { connection.goAway() }
        leave(connection)
        end(call, .failure(ProviderCallFailure("no answer in time", mayHaveBeenProcessed: wasWritten)))
        proceed()
    }

    private func end(_ call: PendingCall, _ result: Result<ProviderAnswer, ProviderCallFailure>) {
        if let deadline = call.deadline { reactor.cancel(deadline) }
        call.deadline = nil
        call.end(result)
    }

    private func failWaiting(_ reason: String) {
        let calls = waiting
        waiting = []
        for call in calls { end(call, .failure(ProviderCallFailure(reason, mayHaveBeenProcessed: false))) }
    }

    // MARK: From the connections

    func connectionEstablished(_ connection: CallConnection) { proceed() }

    /// The connection received bytes.
    func connectionChanged(_ connection: CallConnection) {
        if connection.isFinished { leave(connection) }
        proceed()
    }

    /// - Parameter result: nil if the provider did not process the call.
    func callEnded(_ call: PendingCall, _ result: Result<ProviderAnswer, ProviderCallFailure>?) {
        let connection = call.connection
        call.connection = nil
        // A closed connection reports no change, so waiting calls need another one now.
        defer { if connection?.isClosed ?? false { proceed() } }
        if let result {
            if case .success(let answer) = result, Self.mayBeOfServer(answer.status), let connection {
                if !connection.isFinished { connection.goAway() }
                leave(connection)
            }
            return end(call, result)
        }
        call.refusals += 1
        guard call.refusals <= Self.refusalLimit else {
            return end(call, .failure(.init("the provider refuses the stream", mayHaveBeenProcessed: false)))
        }
        waiting.insert(call, at: 0)
    }

    /// True if another server may answer otherwise: 421 (RFC 9110, section 15.5.20) or a server error.
    private static func mayBeOfServer(_ status: UInt16) -> Bool { status >= 500 || status == 421 }

    /// Handles the unexpected end of an attempt or a connection.
    func connectionFailed(_ connection: CallConnection, _ reason: String) {
        let wasEstablished = connection.isEstablished
        let calls = connection.takeCalls()
        connection.close(abruptly: true)
        leave(connection)
        for (call, isWritten) in calls {
            let text = "the connection was lost: \(reason)"
            end(call, .failure(ProviderCallFailure(text, mayHaveBeenProcessed: isWritten)))
        }
        // Without a connection, waiting calls need not wait for their deadlines.
        if !wasEstablished { failWaiting("no connection: \(reason)") }
        proceed()
    }

    // MARK: Idling

    private func idleIfNothingIsUnderWay() {
        guard let connection, connection.count == 0, idleTimer == nil else { return }
        idleTimer = reactor.schedule(after: options.idleTime) { [weak self] in
            guard let self else { return }
            idleTimer = nil
            guard let idle = self.connection, idle.count == 0 else { return }
            if idle.isEstablished { idle.goAway() }
            leave(idle)
        }
    }

    private func stopIdling() {
        if let idleTimer { reactor.cancel(idleTimer) }
        idleTimer = nil
    }
}
