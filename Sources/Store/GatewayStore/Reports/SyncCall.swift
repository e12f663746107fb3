import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

/// One sync on its way through the store, on the reactor: two round trips of several commands each, in a cluster three.
/// `SyncMachine` decides. The end is read once for all syncs of a turn (see `EndReads`).
final class SyncCall: RedisReplyReceiver {
    /// The commands that every sync sends. A reply names its command, and the reply to a read of the device its round.
    private enum Step {
        static let lookup = -1
        static let write = 0
    }

    let reports: StoredReports
    let device: DeviceKey
    let systemActivityID: String?
    let userKey: [UInt8]
    let deviceField: [UInt8]
    /// The field of the membership that was asked for.
    private var membershipField: [UInt8] = []
    /// True if the reads were sent behind the last write.
    private var areReadsSent = false
    private var machine: SyncMachine
    private let completion: (SyncEnd) -> Void

    var tenantID: String { machine.tenantID }
    var token: [UInt8]? { machine.token }
    /// True if nothing but its token says which Live Activity is meant.
    private var isNameless: Bool { token != nil && systemActivityID == nil }

    /// - Parameter completion: Called once, possibly before `begin` returns.
    init(
        _ reports: StoredReports, _ device: DeviceKey, tenantID: String, token: [UInt8]?, systemActivityID: String?,
        _ lookup: SyncLookup = SyncLookup(), completion: @escaping (SyncEnd) -> Void
    ) {
        self.reports = reports
        self.device = device
        self.systemActivityID = systemActivityID
        self.completion = completion
        userKey = Keys.encodedUser(tenantID, device.insiderID)
        deviceField = UserRecord.deviceField(device.udid)
        machine = SyncMachine(lookup, tenantID: tenantID, token: token, hasName: systemActivityID != nil)
    }

    func begin(_ id: UniqueID) {
        replied(.activity(id, reports.knownActivity(id)))
    }

    /// Begins with the topic whose activity it is.
    func begin(_ topic: TopicID) {
        send(reports.topicActivity(topic)) { [reports] in
            $0.isNull ? nil : UniqueID($0.string).map { .activity($0, reports.knownActivity($0)) }
        }
    }

    func begin(_ record: ActivityRecord, slot: UInt32) {
        replied(.place(reports.keep(record), slot: slot))
    }

    /// Begins, or goes on, with a place that is found in another way.
    func search(_ work: @escaping @Sendable () async throws(StoreError) -> ReportedPlace?) {
        wait(for: work) { [reports] in
            guard case .place(let record, let slot)? = $0 else { return .owner($0) }
            return .place(reports.keep(record), slot: slot)
        }
    }

    // MARK: Actions

    private func act(_ action: SyncMachine.Action) {
        switch action {
        case .wait: break
        case .find(let id): begin(id)
        case .lookUp(let id, let known): lookUp(id, known)
        case .search(let known, let slot, let isElsewhere, let isNew):
            search(known.record, slot, isElsewhere: isElsewhere, isNew: isNew)
        case .readUser: readUser(round: 0)
        case .write(let place): write(place)
        case .read(let place):
            reports.readEnd(of: place.known, for: self, round: place.round)
            readDevice(place)
        case .ask(let question, let place): ask(question, place)
        case .begin(let login, let record, let slot):
            let call = SyncCall(
                reports, login, tenantID: tenantID, token: token, systemActivityID: systemActivityID,
                completion: completion)
            call.begin(record, slot: slot)
        case .finish(let end): completion(end)
        }
    }

    private func lookUp(_ id: UniqueID, _ known: KnownActivity?) {
        membershipField = known?.membershipField ?? UserRecord.membershipField(id)
        // A token without a name may be that of any place of the device.
        let command =
            isNameless
            ? RedisCommand("HGETALL", userKey)
            : SyncLookup.command(userKey, membershipField, deviceField, systemActivityID)
        reports.redis.send(command, to: self, step: Step.lookup)
        guard known == nil else { return }
        // They are of different nodes in a cluster, and so may be answered in either order.
        send(RedisCommand("HGETALL", Keys.activity(id))) { [reports, tenantID] in
            guard let record = ActivityRecord(id, $0.copy().fields), record.activity.tenantID == tenantID
            else { return nil }
            return .record(reports.keep(record))
        }
    }

    private func write(_ place: SyncMachine.Place) {
        let now = reports.wallClock()
        let age = now.milliseconds - place.known.record.activity.createdAt.milliseconds
        let cell = place.token.map { UpdateToken.cell($0, reportedAfter: age) } ?? TokenPage.cellOfShownLiveActivity
        let command = place.known.write(slot: place.slot, reports.roster).command(
            index: RosterGeometry.index(ofSlot: place.slot), cell: cell, expiresAt: place.known.keptUntil,
            slot: Int(place.slot),
            now: place.known.record.activity.externalID == nil ? String(now.milliseconds) : "",
            elsewhere: place.lookup.otherPlaces.rawValue)
        areReadsSent = reports.redis.keepsOrderAcrossKeys
        guard areReadsSent else { return reports.redis.send(command, to: self, step: Step.write) }
        // Asked for first, so that its command is there when the turn's commands are written; it goes behind them all.
        reports.readEnd(of: place.known, for: self, round: place.round)
        reports.redis.send(command, to: self, step: Step.write)
        readDevice(place)
    }

    // The part that all commands share is written once.
    private static let readHead = RedisCommandBuilder("HGET")

    private func readDevice(_ place: SyncMachine.Place) {
        if place.hasOneToken { return readUser(round: place.round) }
        var builder = RedisCommandBuilder(copying: SyncCall.readHead, byteCountHint: userKey.count + 56)
        builder.append(userKey)
        builder.append(deviceField)
        reports.redis.send((consume builder).finish(), to: self, step: place.round)
    }

    func readUser(round: Int) {
        send(RedisCommand("HGETALL", userKey)) { [device] in
            .device(SyncMachine.ReadDevice(UserRecord($0.copy().fields), device.udid), round: round)
        }
    }

    // MARK: Replies

    private func replied(_ reply: SyncMachine.Reply) {
        act(machine.replied(reply, now: reports.wallClock()))
    }

    /// Passes a reply on. An error ends the sync, and so does nil: the report leads to nothing.
    func replied(_ result: Result<SyncMachine.Reply?, StoreError>) {
        switch result {
        case .success(let reply?): replied(reply)
        case .success(nil): act(machine.ended(.other(.notFound)))
        case .failure(let error): act(machine.ended(.failed(error)))
        }
    }

    func replied(_ result: Result<RedisReplyView, RedisError>, in step: Int) {
        replied(result.mapError { StoreError($0) }.flatMap { read($0, step) })
    }

    private func read(_ reply: RedisReplyView, _ step: Int) -> Result<SyncMachine.Reply?, StoreError> {
        switch step {
        case Step.lookup where isNameless:
            return .success(.lookup(SyncLookup.Reply(user: reply.elements, deviceField, membershipField)))
        case Step.lookup: return .success(.lookup(SyncLookup.Reply(reply.elements, device)))
        case Step.write:
            guard let written = Scripts.PutUpdateCellReply.read(reply) else {
                return .failure(.damaged("the reply to an update token"))
            }
            return .success(.written(written, areReadsSent: areReadsSent))
        default:
            return .success(.device(reply.isNull ? nil : SyncMachine.ReadDevice(reply.bytes), round: step))
        }
    }

    /// Handles the reply to the read of the activity's end.
    func endCame(_ result: Result<UniqueID?, StoreError>, round: Int) {
        replied(result.map { .end($0, round: round) })
    }

    // MARK: Commands that few syncs need

    func send(_ command: RedisCommand, _ read: @escaping (RedisReplyView) -> SyncMachine.Reply?) {
        reports.redis.send(command) { [self] in replied($0.mapError { StoreError($0) }.map(read)) }
    }

    func run<Value>(_ call: ScriptCall<Value>, _ read: @escaping (Value) -> SyncMachine.Reply) {
        reports.redis.send(call.command) { [self] in replied(call.result($0).map(read)) }
    }

    /// Runs calls of the store, and goes on with their result on the reactor.
    func wait<Value: Sendable>(
        for work: @escaping @Sendable () async throws(StoreError) -> Value,
        _ read: @escaping (Value) -> SyncMachine.Reply
    ) {
        reports.perform(work) { [self] in
            replied($0.map(read))
        } ifStopped: { [self] in
            replied(.failure(.unavailable("the reactor has stopped")))
        }
    }
}
