public import Connecting
import HTTP2Core
public import Reactor
import TLS
public import TimeCore

/// Makes rare calls to one provider over HTTP/2 and reads what it answers: one connection, which is opened when there
/// is something to ask and closed when there was nothing for a while.
///
/// Every call ends once, by its deadline at the latest. A call that the provider did not look at is sent again by
/// itself, on another connection if need be; all other failures are told, and it is the caller's to try again.
///
/// Belongs to its reactor's thread, but for `init`.
public final class CallClient {
    /// Bounds.
    public struct Options: Sendable {
        /// Calls under way at the same time; further ones wait.
        public var concurrentCalls = 2
        /// The most bytes of an answer's body. A call with a longer answer fails.
        public var bodyLimit = 1 << 20
        /// A connection without a call for so long is closed.
        public var idleTime = TimeInterval.seconds(120)

        public init() {}
    }

    let reactor: Reactor
    let connector: ProviderConnector
    let options: Options
    private var waiting: [PendingCall] = []
    /// The one that takes calls, or will.
    private var connection: CallConnection?
    /// Those that take no more calls, and have some under way.
    private var leaving: [CallConnection] = []
    private var idleTimer: ReactorTimer?
    private var isClosed = false

    /// So often a call is sent again that the provider did not look at.
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

    /// It takes no more calls; those under way have their time there.
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
            return proceed()
        }
        let wasWritten = connection.cancel(call)
        // It may be dead, and the next call had better not find out.
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

    /// It received something.
    func connectionChanged(_ connection: CallConnection) {
        if connection.isFinished { leave(connection) }
        proceed()
    }

    /// Nil: the provider did not look at the call.
    func callEnded(_ call: PendingCall, _ result: Result<ProviderAnswer, ProviderCallFailure>?) {
        call.connection = nil
        if let result { return end(call, result) }
        call.refusals += 1
        guard call.refusals <= Self.refusalLimit else {
            return end(call, .failure(.init("the provider refuses the stream", mayHaveBeenProcessed: false)))
        }
        waiting.insert(call, at: 0)
    }

    /// The attempt, or the connection, is over, and not by our wish.
    func connectionFailed(_ connection: CallConnection, _ reason: String) {
        let wasEstablished = connection.isEstablished
        let calls = connection.takeCalls()
        connection.close(abruptly: true)
        leave(connection)
        for (call, isWritten) in calls {
            let text = "the connection was lost: \(reason)"
            end(call, .failure(ProviderCallFailure(text, mayHaveBeenProcessed: isWritten)))
        }
        // Whoever waits for a connection that cannot be had need not wait for its deadline.
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
