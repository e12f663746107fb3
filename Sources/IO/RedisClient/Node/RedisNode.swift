import Reactor
import TimeCore

/// Called on the reactor.
protocol RedisNodeOwner: AnyObject {
    /// A new connection of the node is signed in. Called before anything that waits is sent on it.
    func nodeGreeted(_ node: RedisNode, _ greeting: RedisGreeting)
    /// `node.missingRights` is another.
    func nodeRightsChanged(_ node: RedisNode)
    /// `node.life.publicState` may be another.
    func nodeStateChanged(_ node: RedisNode)
}

/// One server: the connection to it, its life, and the commands that wait for it. Confined to the reactor.
///
/// The maker of the node ends it with `shutDown`; an open connection keeps itself alive.
final class RedisNode {
    let reactor: Reactor
    let endpoint: RedisEndpoint
    let options: RedisClientOptions
    /// Shared by all nodes of a client.
    let metrics: RedisMetrics
    weak var owner: (any RedisNodeOwner)?

    var life: RedisConnectionLife
    /// The rights that the user lacks on this server, as far as is known.
    var missingRights: MissingRights?
    var isCheckingRights = false
    var connection: RedisConnection?
    /// The attempt to which a look-up or an open connection belongs; a late answer of an earlier one is dropped.
    var attempt = 0
    /// The configured place at which the next attempt begins. It moves on with every failure and refusal, so a silent
    /// place takes the whole time of only one attempt.
    var firstPlace = 0
    /// The places that this attempt has yet to try. The addresses of the current place come first.
    var places: [(number: Int, location: RedisEndpoint.Location)] = []
    /// The place that was tried last.
    var place = 0
    var candidates: [RedisConnection.Target] = []
    /// The host whose addresses those are.
    var host = ""
    var lastFailure = "no address"
    /// True if the newest connection led to a server that cannot serve. Another address may lead to one that can.
    var isPassedOver = false
    /// True if the server is not a cluster node, so that the client itself must find the primary.
    var isSingle = false
    /// A connection to a server that takes no more writes. It stays until its commands have their replies.
    var retiring: RedisConnection?
    var isAskingRole = false
    /// True if the newest connection leads to a sentinel.
    var isAtSentinel = false
    var connectTimer: ReactorTimer?
    var retryTimer: ReactorTimer?
    var waiting = Ring<PendingCall>()
    var sweepTimer: ReactorTimer?
    var sweepAt = MonotonicTime(nanoseconds: .max)
    /// Calls whose replies wait for a replica.
    var waits = CommitRounds<RoutedCall>()
    /// The time before which no call waits for a replica.
    var waitsAgainAt = MonotonicTime(nanoseconds: 0)
    /// The limit of the next wait in milliseconds.
    var waitLimit: Int32 = 0

    init(reactor: Reactor, endpoint: RedisEndpoint, options: RedisClientOptions, metrics: RedisMetrics) {
        self.reactor = reactor
        self.endpoint = endpoint
        self.options = options
        self.metrics = metrics
        life = RedisConnectionLife(backoff: options.backoff, connectDeadline: options.connectDeadline)
    }

    func start() {
        perform(life.started(.now()))
    }

    /// Fails what waits and what is in flight, and closes the connection.
    func shutDown() {
        perform(life.shutDown())
    }

    var isReady: Bool {
        if case .ready = life.state { connection != nil } else { false }
    }
}
