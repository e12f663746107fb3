import BroadcastCore
public import Delivery
import FlatMemory
import GatewayStore
import LiveActivity
public import Reactor
import TimeCore

/// Sends the broadcasts of one app over one kind of route, any number at once, through its provider.
///
/// They take turns, so that a small one is not held up by a large one, and starts and ends go ahead of updates.
/// Confined to the reactor.
public final class Broadcaster: RoomListener, @unchecked Sendable {
    let provider: any PushProvider
    private let reactor: Reactor
    /// Starts and ends, and updates, each with whose turn was last.
    private let urgent = Turns()
    private let updates = Turns()
    private var isPumping = false
    /// The pushes that one call gives to the provider. Only the turn that is under way reads it.
    private var batch = PlainBuffer<PendingPush>()
    /// The number of runs that note their devices.
    private var starts = 0
    /// The index of the run that noted devices last.
    private var lastNoting = 0
    /// True if an update gets the next single push that probes a paused provider.
    private var isProbeForUpdates = false
    private var answers = RecentAnswers()

    /// An object, because runs may end, and so leave it, while it is gone through.
    private final class Turns {
        var runs: [BroadcastRun] = []
        var next = 0
    }

    /// The number of pushes that a broadcast may give before it is the next one's turn.
    private static let turn = 64

    /// - Parameter provider: takes pushes on this reactor.
    public init(reactor: Reactor, provider: any PushProvider) {
        self.reactor = reactor
        self.provider = provider
        reactor.execute { provider.add(self) }
    }

    /// The provider can take more. On the reactor.
    public func roomGrew() {
        pump()
    }

    /// See `RoomListener`. Of some broadcasts only, when there are very many: no more connections are opened for more.
    public var pushesWaiting: Int {
        let now = reactor.now
        return (urgent.runs.prefix(Broadcaster.countedRuns) + updates.runs.prefix(Broadcaster.countedRuns))
            .reduce(0) { $0 + $1.core.waiting(now: now) }
    }

    private static let countedRuns = 128

    func add(_ run: BroadcastRun) {
        if run.core.notesRuns { starts += 1 }
        if run.order.kind == .update { updates.runs.append(run) } else { urgent.runs.append(run) }
    }

    func remove(_ run: BroadcastRun) {
        answers.add(run.core.tally.accepted, now: reactor.now)
        if run.order.kind == .update {
            updates.runs.removeAll { $0 === run }
        } else {
            let before = urgent.runs.count
            urgent.runs.removeAll { $0 === run }
            if run.core.notesRuns { starts -= before - urgent.runs.count }
        }
    }

    /// Gives pushes to the provider as long as it has room, and has those of starts noted that come next.
    func pump() {
        assert(reactor.isOnReactor)
        // A push may end at once and so call back; the loop that runs takes care of what that brings.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        if provider.health.isPaused {
            // Starts and ends would otherwise be the only probes, and may be to silent devices.
            let isForUpdates = isProbeForUpdates
            if pump(isForUpdates ? updates : urgent) > 0 { isProbeForUpdates = !isForUpdates }
            pump(isForUpdates ? urgent : updates)
        } else {
            pump(urgent)
            pump(updates)
        }
        noteAhead()
        provider.workCame()
    }

    /// Gives each broadcast its turn.
    /// - Returns: The number of pushes given to the provider.
    @discardableResult
    private func pump(_ turns: Turns) -> Int {
        var (idle, given) = (0, 0)
        while room > 0, !turns.runs.isEmpty, idle < turns.runs.count {
            turns.next = (turns.next + 1) % turns.runs.count
            let run = turns.runs[turns.next]
            let count = run.push(to: provider, in: &batch, limit: min(Broadcaster.turn, room))
            idle = count == 0 ? idle + 1 : 0
            given += count
        }
        return given
    }

    /// The number of pushes that the provider has accepted of the last runs, see `RecentAnswers`.
    func acceptedLately() -> Int { answers.count(now: reactor.now) }

    /// The most pushes that the provider may get: while there are starts, as many as there are free streams. A start's
    /// push that waits for a stream is in doubt if this gateway is killed, and other waiting pushes go ahead of it.
    private var room: Int {
        hasStarts && !provider.health.isPaused ? provider.streamRoom : provider.room
    }

    private var hasStarts: Bool { starts > 0 }

    /// Notes the devices that are pushed next. If this gateway is killed, the devices that are noted and not with the
    /// provider are in doubt. So they are few: 32 for each connection, fewer while it has answered fewer, and none
    /// while no connection accepts pushes.
    ///
    /// All starts share this limit. A start notes its next devices once the provider has the previous ones, because
    /// each note costs as much as a hundred pushes. Meanwhile the provider answers the pushes on its streams.
    private func noteAhead() {
        guard provider.room > 0, hasStarts else { return }
        var noted = 0
        for run in urgent.runs where run.core.notesRuns && !run.state.isHeld { noted += run.core.notedAhead }
        // While paused a single push probes.
        let most = provider.health.isPaused ? 1 : max(1, provider.provenRoom(ofEach: Broadcaster.notedForConnection))
        let share = max(min(most, Broadcaster.notedForConnection), most / starts)
        for _ in urgent.runs where most - noted >= share {
            lastNoting = (lastNoting + 1) % urgent.runs.count
            let run = urgent.runs[lastNoting]
            noted += run.noteAhead(limit: share)
        }
    }

    private static let notedForConnection = 32

    /// The part that all pushes of a job share; nil when no push can carry it.
    func render(_ order: BroadcastOrder, _ part: JobTicket.Part) -> (any RenderedPush)? {
        order.isUnreadable ? nil : order.intent(part).flatMap(provider.render)
    }
}

extension BroadcastOrder {
    /// The content of a part; nil when it goes to a channel that does not exist.
    func intent(_ part: JobTicket.Part) -> Intent? {
        var destination = Intent.Destination.devices
        var expiration = expiration
        if let kind = part.channelKind {
            guard let channel = channels[kind] else { return nil }
            destination = .channel(channel)
            // Apple: a channel that stores nothing takes no other one.
            if !channels.storesNewest(kind) { expiration = 0 }
        }
        return Intent(
            broadcast: id, activity: activity.id, event: kind, content: payload, expiration: expiration,
            priority: priority == 5 ? .considerate : .immediate, destination: destination,
            following: follows[part.routeKind])
    }
}
