import Reactor
import Synchronization
import TimeCore

/// Holds back replies of a single server until its replicas have the writes before them. Confined to the reactor.
///
/// WAIT blocks its connection, and covers the writes of that connection. So it has a connection of its own, on which a
/// mark is written first. A replica that has the mark also has every write that was answered before it. Replies that
/// come meanwhile share the next wait.
final class ReplicaWait {
    enum Outcome: Equatable {
        case acknowledged
        /// Too few replicas in time, or the server refuses the wait.
        case unacknowledged
        /// The server was lost, or is no longer the primary. The write may be lost as well.
        case lost(String)
    }

    /// A replica that works is rarely further behind.
    private static let limit = TimeInterval.seconds(2)
    /// The time without waits after one that failed, because a replica that hangs would delay every start.
    private static let recess = TimeInterval.seconds(10)

    private let reactor: Reactor
    private let endpoint: RedisEndpoint
    private let options: RedisClientOptions
    private let counts: ClusterCounter
    private let connected = Atomic(0)
    private var client: RedisClient?
    private var rounds = CommitRounds<(sink: ReplySink, reply: RedisValue)>()
    private var resumesAt = MonotonicTime(nanoseconds: 0)

    init(_ reactor: Reactor, _ endpoint: RedisEndpoint, _ options: RedisClientOptions, _ counts: ClusterCounter) {
        self.reactor = reactor
        self.endpoint = endpoint
        self.options = options
        self.counts = counts
    }

    /// The number of replicas that a write waits for. From any thread.
    var replicas: Int {
        guard options.replicaMark != nil else { return 0 }
        return options.replicasToWait ?? min(1, connected.load(ordering: .relaxed))
    }

    /// Records the number of replicas of the server. From any thread.
    func found(_ count: Int) {
        connected.store(count, ordering: .relaxed)
    }

    /// A sink that gets its reply when enough replicas have the write; `sink` itself if the client waits for none.
    func holding(_ sink: ReplySink) -> ReplySink {
        guard replicas > 0 else { return sink }
        return .view { [self] result in
            switch result {
            case .failure(let error): sink.fail(error)
            case .success(let reply) where reactor.now < resumesAt:
                counts.change { $0.unreplicated += 1 }
                sink.succeed(reply)
            case .success(let reply): if rounds.joined((sink, reply.copy())) { begin() }
            }
        }
    }

    func shutDown() {
        client?.shutdownOnReactor()
    }

    private func begin() {
        guard let mark = options.replicaMark else { return }
        let client = opened()
        let replicas = replicas
        var markError: RedisError?
        client.send(mark) { if case .failure(let error) = $0 { markError = error } }
        let limit = Int(ReplicaWait.limit.millisecondsRoundedUp)
        client.send(RedisCommand("WAIT", replicas, limit).asProbe()) { [self] result in
            ended(ReplicaWait.outcome(result.map { $0.integer ?? 0 }, markError, replicas))
        }
    }

    private func ended(_ outcome: Outcome) {
        var (members, beginsNext) = rounds.ended()
        if outcome != .acknowledged {
            resumesAt = reactor.now + ReplicaWait.recess
            // The next wait would fail too.
            members += rounds.ended().members
            beginsNext = false
        }
        counts.change { [count = members.count] in
            switch outcome {
            case .acknowledged: $0.replicated += count
            case .unacknowledged: $0.unreplicated += count
            case .lost: break
            }
        }
        if beginsNext { begin() }
        for (sink, reply) in members {
            if case .lost(let reason) = outcome {
                sink.fail(.unavailable(reason, mayHaveBeenExecuted: true))
            } else {
                RedisReplyView.withView(of: reply) { sink.succeed($0) }
            }
        }
    }

    private func opened() -> RedisClient {
        if let client { return client }
        var options = RedisClientOptions()
        // Longer than WAIT takes.
        options.commandDeadline = .seconds(3)
        options.followsCluster = false
        let opened = RedisClient(reactor: reactor, endpoint: endpoint, options: options)
        client = opened
        return opened
    }

    static func outcome(
        _ acknowledged: Result<Int64, RedisError>, _ markError: RedisError?, _ replicas: Int
    ) -> Outcome {
        for case let error? in [markError, acknowledged.error] {
            switch error {
            case .unavailable, .timedOut: return .lost("\(error)")
            case .rejected, .overloaded: return .unacknowledged
            }
        }
        guard case .success(let count) = acknowledged, count >= replicas else { return .unacknowledged }
        return .acknowledged
    }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
