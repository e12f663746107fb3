import Glibc
public import Reactor
import TimeCore

/// A client of one Redis server: hiredis on a reactor, one connection that all callers share, commands of one turn in
/// one write. Connects at once, reconnects by itself, and gives every command an outcome by its deadline.
///
/// Confined to its reactor: what is documented as "on the reactor" may be called on its thread only. The async
/// calls, `connectionState` and `shutdown` may be called from anywhere; that is what makes it `Sendable`.
///
/// Call `shutdown` before the reactor is stopped. A client whose last reference goes fails what waits and closes.
///
/// Not for commands that block (BLPOP, XREAD BLOCK), because all others would wait behind them: give those a client
/// of their own. Commands that change the protocol (SUBSCRIBE, MONITOR, HELLO and their like) are rejected.
public final class RedisClient: @unchecked Sendable {
    public let reactor: Reactor
    public let endpoint: RedisEndpoint
    public let options: RedisClientOptions

    private let published = Locked(RedisConnectionState.connecting)

    // Touched on the reactor only.
    var life: RedisConnectionLife
    var connection: RedisConnection?
    /// The attempt to which a look-up or an open connection belongs; a late answer of an earlier one is dropped.
    var attempt = 0
    /// The addresses of this attempt that are still to be tried.
    var candidates: [RedisConnection.Target] = []
    var lastFailure = "no address"
    var connectTimer: ReactorTimer?
    var retryTimer: ReactorTimer?
    var waiting = Ring<PendingCall>()
    var sweepTimer: ReactorTimer?
    var sweepAt = MonotonicTime(nanoseconds: .max)

    /// Begins to connect. May be called from anywhere.
    public init(reactor: Reactor, endpoint: RedisEndpoint, options: RedisClientOptions = RedisClientOptions()) {
        self.reactor = reactor
        self.endpoint = endpoint
        self.options = options
        life = RedisConnectionLife(backoff: options.backoff, connectDeadline: options.connectDeadline)
        reactor.execute { self.start() }
    }

    deinit {
        nonisolated(unsafe) let connection = connection
        nonisolated(unsafe) var waiting = waiting
        reactor.execute {
            connection?.close("the client is gone")
            while let call = waiting.popFirst() {
                call.sink.fail(.unavailable("the client is gone", mayHaveBeenExecuted: false))
            }
        }
    }

    /// The state as of the reactor's last turn.
    public var connectionState: RedisConnectionState {
        published.withLock { $0 }
    }

    /// Fails what waits and what is in flight, and closes the connection; then nothing is sent any more.
    public func shutdown() async {
        await reactor.call(stopped: ()) { done in
            self.shutdownOnReactor()
            done(())
        }
    }

    /// The same, on the reactor.
    public func shutdownOnReactor() {
        assert(reactor.isOnReactor)
        perform(life.shutDown())
    }

    private func start() {
        RedisClient.blockBrokenPipeSignal()
        perform(life.started(.now()))
    }

    /// The library writes with write(2), which raises SIGPIPE on the writing thread when the peer has gone.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    func publishState() {
        let state = life.publicState
        let isNew = published.withLock { value in
            defer { value = state }
            return value != state
        }
        if isNew { options.stateChanged?(state) }
    }
}
