import PoolCore
import TimeCore

/// A driver's record of its connections, apart from the pool. It checks each action and choice of the pool against the
/// invariants.
struct PoolModel {
    enum Phase: Equatable { case opening, awaiting, ready, draining }

    struct Connection {
        var phase: Phase
        var purpose = ConnectionPurpose.ordinary
        var limit = 0
        var open = 0
        var started = 0
        var isWritable = true
        /// The time at which it entered its phase.
        var since: MonotonicTime
        /// The last sign that the pool was given.
        var lastSign: MonotonicTime
        var isPinged = false
        /// Bounds of what its own record lets it carry: never more than all answers can have earned, and something
        /// unless the server refuses streams.
        var most = 0
        var troubles = 0
        /// Its answers, good or not.
        var answers = (good: 0, bad: 0)
        var isSick = false
        var isRefusing = false
        /// True once the server has shown that it takes less.
        var isHumbled = false

        var isReadyToTake: Bool { phase == .ready && isWritable }
    }

    let configuration: PoolConfiguration
    var connections: [ConnectionID: Connection] = [:]
    var everSeen: Set<ConnectionID> = []
    var isShutDown = false
    var hasEverBeenReady = false
    var timer: MonotonicTime?
    /// The earliest time at which an attempt may begin.
    var earliestAttempt: MonotonicTime?
    let log = ViolationLog()

    var live: Int { count(.ordinary) }

    func count(_ purpose: ConnectionPurpose) -> Int {
        connections.values.count { $0.phase != .draining && !$0.isSick && $0.purpose == purpose }
    }

    var attempts: Int { connections.values.count { $0.phase == .opening || $0.phase == .awaiting } }

    mutating func troubled(_ id: ConnectionID) {
        answered(id, good: false)
        guard let connection = connections[id] else { return }
        let isOneOfMany = 8 * connection.answers.bad <= connection.answers.good
        connections[id]?.troubles = isOneOfMany ? 1 : connection.troubles + 1
        connections[id]?.isHumbled = true
        if connection.phase == .ready, connections[id]?.troubles ?? 0 >= configuration.troublesToEject {
            connections[id]?.isSick = true
        }
    }

    /// Records an answer. Earlier answers count half, and then less and less.
    mutating func answered(_ id: ConnectionID, good: Bool) {
        guard var answers = connections[id]?.answers else { return }
        if good { answers.good += 1 } else { answers.bad += 1 }
        if answers.good + answers.bad > 256 { answers = (answers.good / 2, answers.bad / 2) }
        connections[id]?.answers = answers
    }

    var violations: [String] { log.violations }

    /// - Parameter purpose: what the pool says that a connection is for which it wants opened.
    mutating func perform(_ action: PoolAction, purpose: ConnectionPurpose?, now: MonotonicTime, failures: Int) {
        switch action {
        case .open(let id):
            log.check(!isShutDown, "opened after shutdown")
            log.check(everSeen.insert(id).inserted, "invariant 1: \(id) used twice")
            log.check(!connections.keys.contains { $0.slot == id.slot }, "invariant 1: slot \(id.slot) taken")
            log.check(id.slot < configuration.slotCount, "invariant 1: slot \(id.slot) out of range")
            if failures > 0 || !hasEverBeenReady { log.check(attempts == 0, "invariant 3: \(attempts) attempts") }
            if failures > 0, let earliestAttempt { log.check(now >= earliestAttempt, "invariant 4: too early") }
            connections[id] = Connection(phase: .opening, purpose: purpose ?? .ordinary, since: now, lastSign: now)
            log.check(live <= configuration.maximumConnections, "invariant 1: \(live) live")
            log.check(count(.suspects) <= 1, "invariant 1: \(count(.suspects)) for suspects")
            log.check(connections.count <= configuration.slotCount, "invariant 1: \(connections.count) in all")
        case .close(let id, let reason):
            guard let connection = connections.removeValue(forKey: id) else {
                return log.check(false, "closed \(id), which is not open")
            }
            switch reason {
            case .drained: log.check(connection.open == 0, "invariant 5: drained with \(connection.open) open")
            case .drainTimedOut:
                log.check(connection.phase == .draining, "invariant 5: \(connection.phase) drain timed out")
                log.check(connection.since + configuration.drainTimeout <= now, "invariant 5: drained too soon")
            case .attemptTimedOut:
                log.check(connection.phase == .opening || connection.phase == .awaiting, "no attempt timed out")
            case .shut:
                log.check(connection.phase == .ready && connection.open == 0, "shut with \(connection.open) open")
                log.check(
                    connection.limit == 0 || !connection.isWritable, "shut with room for \(connection.limit)")
            case .idle:
                log.check(connection.phase == .ready && connection.open == 0, "idle with \(connection.open) open")
                log.check(configuration.idleTimeout.map { connection.since + $0 <= now } ?? false, "idle too soon")
            case .pingTimedOut: log.check(connection.isPinged, "invariant 6: dead without a PING")
            case .shutDown: log.check(isShutDown, "shut down without being asked")
            }
        case .ping(let id):
            guard let connection = connections[id] else { return log.check(false, "pinged \(id), which is not open") }
            log.check(connection.phase == .ready, "pinged in \(connection.phase)")
            log.check(!connection.isPinged, "pinged twice")
            log.check(connection.lastSign + configuration.idlePingInterval <= now, "invariant 6: pinged too soon")
            connections[id]?.isPinged = true
        case .schedule(let time): timer = time
        }
    }

    /// Checks the invariants between events.
    mutating func checkPool(_ pool: ConnectionPool, now: MonotonicTime) {
        log.check(Set(pool.identifiers) == Set(connections.keys), "the pool's connections are not the driver's")
        var free = 0
        for (id, connection) in connections {
            log.check(pool.openStreams(id) == connection.open, "open streams of \(id)")
            let isSame =
                switch (pool.state(id), connection.phase) {
                case (.opening, .opening), (.awaitingSettings, .awaiting), (.ready, .ready), (.draining, .draining):
                    true
                default: false
                }
            log.check(isSame, "\(id) is \(String(describing: pool.state(id))), not \(connection.phase)")
            let room = pool.room(id)
            if connection.purpose == .ordinary, connection.isReadyToTake {
                free += max(0, min(connection.limit, connection.most) - connection.open)
            }
            checkRoom(id, connection, room)
            if connection.phase == .draining { log.check(connection.open > 0, "invariant 5: draining with none open") }
        }
        log.check(pool.freeStreams <= free, "invariant 2: \(pool.freeStreams) free, at most \(free) earned")
        checkChoice(pool, .ordinary)
        // While none of their own can be had, suspects go among the others.
        let isSubstituted = pool.failures > 0 && count(.suspects) == 0
        checkChoice(pool, .suspects, among: isSubstituted ? [.suspects, .ordinary] : [.suspects])
        if !connections.isEmpty, !isShutDown { log.check(timer != nil, "invariant 7: no timer") }
    }

    private func checkChoice(
        _ pool: ConnectionPool, _ wanted: ConnectionPurpose, among purposes: [ConnectionPurpose]? = nil
    ) {
        let able = connections.filter { id, connection in
            (purposes ?? [wanted]).contains(connection.purpose) && connection.isReadyToTake
                && connection.open < connection.limit && pool.room(id) > 0
        }
        guard let id = pool.leastLoaded(wanted), let chosen = connections[id] else {
            return log.check(able.isEmpty, "invariant 2: room for \(wanted) but no choice")
        }
        log.check((purposes ?? [wanted]).contains(chosen.purpose), "invariant 2: \(id) is for others than \(wanted)")
        log.check(chosen.isReadyToTake && chosen.open < chosen.limit, "invariant 2: \(id) full")
        let peers = able.values.filter { $0.purpose == chosen.purpose }
        let best = peers.filter { $0.troubles == 0 }
        if !best.isEmpty { log.check(chosen.troubles == 0, "invariant 2: \(id) has had trouble, others have not") }
        if chosen.troubles == 0 {
            log.check(chosen.open == best.map(\.open).min(), "invariant 2: not the least loaded")
        }
    }

    private func checkRoom(_ id: ConnectionID, _ connection: Connection, _ room: Int) {
        log.check(room <= max(0, connection.most - connection.open), "invariant 2: \(room) unearned at \(id)")
        // A connection that was never in trouble takes all that the server allows, once it has answered enough.
        if connection.isReadyToTake, !connection.isHumbled, connection.most > connection.limit {
            let left = configuration.maximumStreamsPerConnection - connection.started
            log.check(
                room == min(max(0, connection.limit - connection.open), left), "invariant 2: \(room) left at \(id)")
        }
        if connection.isReadyToTake, connection.open == 0, connection.limit > 0, !connection.isRefusing {
            log.check(room > 0, "invariant 2: \(id) takes nothing for ever")
        }
    }
}

/// The violations of invariants.
final class ViolationLog {
    private(set) var violations: [String] = []

    func check(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { violations.append(text()) }
    }
}
