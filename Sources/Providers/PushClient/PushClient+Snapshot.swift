import Delivery
import HealthCore
import MetricsCore
import PoolCore
import Reactor

extension PushClient {
    /// Returns the client's state. From any thread; empty if the reactor has stopped.
    public func snapshot() async -> PushClientSnapshot {
        await reactor.call(stopped: PushClientSnapshot()) { [self] finished in finished(currentState()) }
    }

    /// Returns the client's state immediately. On the reactor only.
    public func currentState() -> PushClientSnapshot {
        var snapshot = PushClientSnapshot()
        for id in pool.identifiers {
            guard let state = pool.state(id) else { continue }
            snapshot.connections.append(
                PushClientSnapshot.Connection(
                    address: connections[id.slot]?.address?.description, state: .init(state),
                    isForSuspects: pool.purpose(id) == .suspects, openStreams: pool.openStreams(id),
                    streamLimit: pool.streamLimit(id)))
        }
        snapshot.waiting = pushes.waitingCount + pushes.waitingSuspectCount
        snapshot.inFlight = pushes.count - snapshot.waiting
        snapshot.room = room
        snapshot.failures = pool.failures
        snapshot.lastFailure = lastFailure
        snapshot.counts = counts
        snapshot.health = breaker.health
        snapshot.counts.connectionsEjected = pool.ejections
        snapshot.counts.probes = breaker.probes
        snapshot.counts.unusableAuthorizations = authorization.unusableValues
        snapshot.identity = identity
        snapshot.authorizationAge = authorization.age
        copyMetrics(to: &snapshot)
        return snapshot
    }

    private func copyMetrics(to snapshot: inout PushClientSnapshot) {
        snapshot.queued = metrics.queued.snapshot()
        snapshot.answered = metrics.answered.snapshot()
        snapshot.goAways = metrics.goAways
        for event in PushEvent.allCases {
            for (name, count) in zip(metrics.names.all, metrics.outcomes(event)) {
                snapshot.outcomes.append(PushClientSnapshot.Outcome(event: event, name: name, count: count))
            }
        }
    }
}

extension PushClientSnapshot.Connection.State {
    init(_ state: PooledConnectionState) {
        switch state {
        case .opening: self = .opening
        case .awaitingSettings: self = .awaitingSettings
        case .ready: self = .ready
        case .draining: self = .draining
        }
    }
}
