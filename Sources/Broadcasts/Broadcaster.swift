import BroadcastCore
public import GatewayStore
import LiveActivity
public import PushClient
public import PushProtocol
public import Reactor
public import TimeCore

/// Carries out broadcasts, any number at once, over one pool of connections.
///
/// They take turns, so that a small one is not held up by a large one. A broadcast of an activity takes over from the
/// older ones of the same activity: these send nothing more, and the newer one begins when their last pushes have been
/// answered, so that no device sees an older state after a newer one.
public final class Broadcaster: PushRoomListener, @unchecked Sendable {
    private let reactor: Reactor
    private let client: PushClient
    private let store: GatewayStore
    private let topic: String
    private let random: () -> Double
    private let count = Locked(0)
    // On the reactor's thread.
    private var runs: [BroadcastRun] = []
    private var next = 0
    private var isPumping = false

    /// How many pushes a broadcast may give before it is the next one's turn.
    private static let turn = 64
    /// Late ends under way at once. A device whose end is not begun gets it with its next sync.
    private static let maximumParts = 10_000

    /// Throws when the bundle identifier cannot stand in a header field.
    public init(
        reactor: Reactor, client: PushClient, store: GatewayStore, bundleIdentifier: String,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) throws(PushHeaders.Invalid) {
        topic = PushHeaders.liveActivityTopic(bundleIdentifier: bundleIdentifier)
        _ = try PushHeaders(topic: topic, priority: .immediate, expiration: 0)
        self.reactor = reactor
        self.client = client
        self.store = store
        self.random = random
        reactor.execute { client.addRoomListener(self) }
    }

    /// The client can take more. On the reactor.
    public func roomGrew(_ client: PushClient) {
        pump()
    }

    /// How many recorded broadcasts are under way. From any thread.
    public var underWay: Int { count.withLock { $0 } }

    /// Begins a recorded broadcast and waits for its end, or for `timeout`: then the report has the counts so far, and
    /// the broadcast goes on.
    public func carryOut(_ order: BroadcastOrder, waiting timeout: TimeInterval) async -> BroadcastReport {
        let unsent = BroadcastReport(
            id: order.id, state: .queued, tally: BroadcastTally(), skipped: SkipCounts())
        return await reactor.call(stopped: unsent) { answer in
            guard let run = self.begin(order) else { return answer(unsent) }
            run.wait(timeout) { answer($0) }
        }
    }

    private func begin(_ order: BroadcastOrder) -> BroadcastRun? {
        guard let template = template(order) else { return nil }
        guard order.isRecorded || runs.count - underWay < Broadcaster.maximumParts else { return nil }
        let older = runs.filter { $0.order.activity.id == order.activity.id && $0.order.order < order.order }
        let run = BroadcastRun(
            order, template: template, store: store, reactor: reactor, isPaused: true, random: random,
            onReady: { [weak self] in self?.pump() }, onFinished: { [weak self] in self?.finished($0) })
        runs.append(run)
        if order.isRecorded { count.withLock { $0 += 1 } }
        for old in older where order.replaces(old.order) { old.supersede() }
        // Two broadcasts may come here in another order than they were recorded in.
        if runs.contains(where: { $0.isNewer(than: order) && $0.order.replaces(order) }) { run.supersede() }
        run.begin()
        resumeWaiting(order.activity.id)
        return run
    }

    private func finished(_ run: BroadcastRun) {
        runs.removeAll { $0 === run }
        if run.order.isRecorded { count.withLock { $0 -= 1 } }
        resumeWaiting(run.order.activity.id)
    }

    /// Lets every broadcast go that no older update or end of its activity is under way of. A start holds up nothing:
    /// whoever can be updated has been started.
    private func resumeWaiting(_ activity: UniqueID) {
        let related = runs.filter { $0.order.activity.id == activity }
        let oldest = related.lazy.filter { $0.order.kind != .start }.map(\.order.order).min() ?? .max
        for run in related where run.order.kind == .start || run.order.order <= oldest { run.resume() }
    }

    /// Stops all broadcasts: nothing more is sent, and what waits is counted as not sent. From any thread.
    public func stop() async {
        await reactor.call(stopped: ()) { done in
            for run in self.runs { run.stop() }
            done(())
        }
    }

    /// Gives pushes to the client as long as it has room, each broadcast in its turn.
    private func pump() {
        // A push may end at once and so call back; the loop that runs takes care of what that brings.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        var idle = 0
        while client.room > 0, !runs.isEmpty, idle < runs.count {
            next = (next + 1) % runs.count
            let count = runs[next].push(to: client, limit: min(Broadcaster.turn, client.room))
            idle = count == 0 ? idle + 1 : 0
        }
    }

    private func template(_ order: BroadcastOrder) -> PushTemplate? {
        guard let identifier = PushIdentifier(broadcast: order.id.bytes) else { return nil }
        do {
            let headers = try PushHeaders(
                topic: topic, priority: order.priority == 5 ? .considerate : .immediate,
                expiration: UInt64(max(0, order.expiration)),
                // Should a start reach a device twice after all, the two collapse into one card.
                collapseIdentifier: order.kind == .start ? order.activity.id.description : nil)
            return try PushTemplate(
                destination: order.kind == .start ? .pushToStartToken : .updateToken,
                event: order.kind.event, headers: headers, identifier: identifier, body: order.payload)
        } catch {
            return nil
        }
    }
}

extension BroadcastRun {
    fileprivate func isNewer(than other: BroadcastOrder) -> Bool {
        order.activity.id == other.activity.id && order.order > other.order
    }
}

extension BroadcastOrder {
    /// Whether this broadcast leaves nothing for the older one to do. An end of the whole segment also stops the start.
    func replaces(_ older: BroadcastOrder) -> Bool {
        switch (kind, older.kind) {
        case (.start, _), (.update, .start), (.update, .end): return false
        case (.end, .start), (.end, .end): return scope == .wholeSegment
        case (.update, .update), (.end, .update): break
        }
        switch (scope, older.scope) {
        case (.wholeSegment, _): return true
        case (.slots, .wholeSegment): return false
        case (.slots(let slots), .slots(let olderSlots)): return Set(slots).isSuperset(of: olderSlots)
        }
    }
}

extension BroadcastKind {
    var event: PushEvent {
        switch self {
        case .start: .start
        case .update: .update
        case .end: .end
        }
    }
}
