import PoolCore
import TimeCore

/// A pool with its own clock.
struct PoolHarness {
    var pool: ConnectionPool
    var now = MonotonicTime(nanoseconds: 1_000_000_000)

    init(_ change: (inout PoolConfiguration) -> Void = { _ in }) {
        var configuration = PoolConfiguration()
        configuration.maximumConnections = 4
        configuration.initialWindow = configuration.highestStreamLimit
        change(&configuration)
        pool = ConnectionPool(configuration)
    }

    mutating func pass(_ interval: TimeInterval) { now = now + interval }

    /// Returns all actions except timer requests.
    mutating func actions() -> [PoolAction] {
        var actions: [PoolAction] = []
        while let action = pool.nextAction() {
            if case .schedule = action { continue }
            actions.append(action)
        }
        return actions
    }

    /// Returns the connections that the pool wants to open.
    mutating func opened() -> [ConnectionID] {
        actions().compactMap { if case .open(let id) = $0 { id } else { nil } }
    }

    mutating func need(_ waiting: Int) { pool.demandChanged(waiting: waiting, now: now) }

    mutating func becomeReady(_ id: ConnectionID, limit: UInt32? = 100) {
        pool.connectionOpened(id, now: now)
        pool.settingsReceived(id, maximumConcurrentStreams: limit, now: now)
    }

    /// Returns a connection that has answered a push.
    mutating func proven(limit: UInt32 = 100) -> ConnectionID {
        need(1)
        let id = opened()[0]
        becomeReady(id, limit: limit)
        pool.streamsOpened(id, 1, now: now)
        pool.streamsEnded(id, 1, answered: true, now: now)
        need(0)
        _ = actions()
        return id
    }

    mutating func open(_ count: Int) {
        for _ in 0..<count {
            if let id = pool.leastLoaded() { pool.streamsOpened(id, 1, now: now) }
        }
    }
}
