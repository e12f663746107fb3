import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore
import TimeCore

/// One sync on its way through the store, on the reactor: two round trips, each of several commands in one write (in a
/// cluster three).
///
/// 1. The device's number and membership, and the activity unless it is known.
/// 2. The script that writes the token's cell, and then the reads of the device's consent and the activity's end. The
///    end is read once for all syncs of the turn (see `EndReads`). An end, or the withdrawal of a consent, changes its
///    state first and then reads the cells. So one of the two always finds the other.
///
/// A device that is missing after the write has been erased meanwhile. The erasure has ended the Live Activities in the
/// cells, but it may have missed this token. So the report is answered like any later one, and the app ends its Live
/// Activity.
///
/// With a single Redis the order of the connection ensures this. If the server does not know the script, the write is
/// sent again behind the reads, and the reads are repeated. In a cluster, the reads follow the reply to the write.
final class SyncCall: RedisReplyReceiver {
    /// The commands that every sync sends. A reply names its command.
    private enum Step: Int {
        case lookup, write, device
        /// The read of the device in the second round.
        case deviceAgain
    }

    let reports: StoredReports
    let device: DeviceKey
    let tenantID: String
    /// The reported token; nil if the device only reports that its Live Activity is there.
    let reportedToken: [UInt8]?
    /// The token in the slot's cell from now on; nil for none.
    private(set) var token: [UInt8]?
    /// The number of times that a registration token was written after a newer one had come.
    var tokenChanges = 0
    /// The registration token behind the write; nil when it is the one that was written.
    var newerToken: [UInt8]?
    let systemActivityID: String?
    private var completion: ((SyncEnd) -> Void)?

    let userKey: [UInt8]
    let deviceField: [UInt8]
    /// The activity's type, when the device has named one.
    private var type: String?
    private var known: KnownActivity?
    /// The device's slot, once it is read. The inner value is nil for a device that is not in the activity.
    private var place: UInt32??
    /// The field of the membership that was asked for.
    private var membershipField: [UInt8] = []
    /// The other findings of the read that gave the place.
    var lookup = SyncLookup()
    /// The script's reply: its outcome, and the end of this Live Activity that waits for its token.
    var written: (outcome: Int, pendingEnd: PendingEnd?)?
    /// True if the script has seen that a start reached the device.
    private var wasReached = false
    /// Milliseconds since the start of the Live Activity, of a token that was written.
    private(set) var sinceStart: Int?
    /// True once the event of the new token is recorded.
    var isPublished = false
    /// True if the device's record says that a push has reached it before.
    private var isKnownAsReached = false
    var endBroadcast: UniqueID?
    var refusal: SkipReason?
    /// See `DeviceRecord.changedKind`.
    private(set) var changedKind: RouteKind?
    /// True if the device has been moved to the band of its kind.
    var hasMoved = false
    /// The reason for which its Live Activity had ended, although the device reports that it is there.
    var endedBefore: EndReason?
    /// The update that will not come to the slot to which it was moved, and whether that was looked for behind the
    /// write.
    var missed: MissedUpdate?
    var hasLookedForMissed = false
    /// The activity's time is up.
    var isOver = false
    /// The number of replies to the two reads behind the write, and the number of times that these were begun.
    private var readsDone = 0
    private var round = 0

    init(
        _ reports: StoredReports, _ device: DeviceKey, tenantID: String, token: [UInt8]?, systemActivityID: String?,
        completion: @escaping (SyncEnd) -> Void
    ) {
        self.reports = reports
        self.device = device
        self.tenantID = tenantID
        reportedToken = token
        self.token = token
        self.systemActivityID = systemActivityID
        self.completion = completion
        userKey = Keys.encodedUser(tenantID, device.insiderID)
        deviceField = UserRecord.deviceField(device.udid)
    }

    func finish(_ end: SyncEnd) {
        let completion = completion
        self.completion = nil
        completion?(end)
    }

    private func send(_ command: RedisCommand, _ step: Step) {
        reports.redis.send(command, to: self, step: step.rawValue)
    }

    func replied(_ result: Result<RedisReplyView, RedisError>, in step: Int) {
        pass(result.mapError { StoreError($0) }) { replied($0, Step(rawValue: step) ?? .lookup) }
    }

    private func replied(_ reply: RedisReplyView, _ step: Step) {
        switch step {
        case .lookup:
            place = .some(readLookup(reply))
            complete()
        case .write: writeCame(reply)
        case .device where round == 1, .deviceAgain: deviceCame(reply)
        case .device: break
        }
    }

    /// Passes a value on. An error ends the sync; results that come afterwards are ignored.
    private func pass<Value>(_ result: Result<Value, StoreError>, to body: (Value) -> Void) {
        guard completion != nil else { return }
        switch result {
        case .success(let value): body(value)
        case .failure(let error): finish(.failed(error))
        }
    }

    /// Sends a command that few syncs need.
    func send(_ command: RedisCommand, _ replied: @escaping (RedisReplyView) -> Void) {
        reports.redis.send(command) { [self] in pass($0.mapError { StoreError($0) }, to: replied) }
    }

    /// Runs a script that few syncs need.
    func run<Reply>(_ call: ScriptCall<Reply>, _ replied: @escaping (Reply) -> Void) {
        reports.redis.send(call.command) { [self] in pass(call.result($0), to: replied) }
    }

    /// Runs calls of the store, and goes on with their result on the reactor.
    func wait<Value: Sendable>(
        for work: @escaping @Sendable () async throws(StoreError) -> Value, then body: @escaping (Value) -> Void
    ) {
        reports.perform(work) { [self] in
            pass($0, to: body)
        } ifStopped: { [self] in
            finish(.failed(.unavailable("the reactor has stopped")))
        }
    }

    // MARK: Where the device's cell is

    /// Begins with an activity's id; the type is compared when it is given.
    func begin(_ id: UniqueID, type: String?) {
        self.type = type
        // Once its time is up the activity may be known as started still, and have ended in one way or another. Another
        // tenant's activity is read, because the commands must be those for an activity that does not exist.
        if let known = reports.knownActivity(id), known.record.activity.tenantID == tenantID,
            known.record.activity.endsAt > reports.wallClock()
        {
            self.known = known
            return send(lookupCommand(known.membershipField), .lookup)
        }
        // They are of different nodes in a cluster, and so may be answered in either order.
        send(lookupCommand(UserRecord.membershipField(id)), .lookup)
        send(RedisCommand("HGETALL", Keys.activity(id))) { [self] reply in
            guard let record = ActivityRecord(id, reply.copy().fields), record.activity.tenantID == tenantID
            else { return finish(.other(.notFound)) }
            known = reports.keep(record)
            complete()
        }
    }

    /// Begins with the topic whose activity it is.
    func begin(_ topic: TopicID, type: String?) {
        lookup.isByTopic = true
        send(reports.topicActivity(topic)) { [self] reply in
            guard !reply.isNull, let id = UniqueID(reply.string) else { return finish(.other(.notFound)) }
            begin(id, type: type)
        }
    }

    func begin(_ record: ActivityRecord, slot: UInt32) {
        found(reports.keep(record), slot: slot)
    }

    private func complete() {
        guard let place, let known else { return }
        let hasOneToken = place.map { RosterGeometry.kind(ofSlot: $0).hasOneToken } ?? false
        if let namedActivity = lookup.namedActivity, namedActivity != known.id, !hasOneToken {
            return beginAgain(namedActivity)
        }
        found(known, slot: place)
    }

    /// Begins with the activity to which the Live Activity belongs, in place of the one that the report names.
    func beginAgain(_ id: UniqueID) {
        (place, known, written) = (nil, nil, nil)
        begin(id, type: type)
    }

    // The part that all commands share is written once.
    private static let readHead = RedisCommandBuilder("HGET")

    /// Asks for the membership, for the number by which it names the device, and for the Live Activity's name. A token
    /// without a name may be that of any place of the device.
    private func lookupCommand(_ membershipField: [UInt8]) -> RedisCommand {
        self.membershipField = membershipField
        if isNameless { return RedisCommand("HGETALL", userKey) }
        return SyncLookup.command(userKey, membershipField, deviceField, systemActivityID)
    }

    /// The device's slot.
    private func readLookup(_ reply: RedisReplyView) -> UInt32? {
        let parts = reply.elements
        return isNameless ? lookup.readUser(parts, deviceField, membershipField) : lookup.read(parts, device)
    }

    func found(_ known: KnownActivity, slot: UInt32?) {
        // Its parts are named one by one: a copy of the record would cost more than all that is done here.
        self.known = known
        let now = reports.wallClock()
        guard known.record.activity.tenantID == tenantID else { return finish(.other(.notFound)) }
        // The phone may show the Live Activity of a former login. The write notices only a new token.
        if lookup.otherPlaces == .ofOtherLogins, slot == nil || reportedToken == nil && lookup.isNewByTopic {
            return findOwner(known, slot)
        }
        guard let slot else { return finish(.other(.notFound)) }
        let state = known.record.activity.state
        isOver = known.record.activity.endsAt <= now
        if isOver {
            // Its Live Activity must not be orphaned: it is found by the end that the gateway sends, or is sent it
            // late.
            let isExpired = state == .started || known.record.endReason == .expired
            guard isExpired, known.record.activity.startedAt != nil else { return finish(.other(.notFound)) }
        }
        if let type, !known.record.activity.type.utf8.elementsEqual(type.utf8) {
            return finish(.other(.typeMismatch(registered: known.record.activity.type)))
        }
        guard state != .registered else { return finish(.other(.notStarted)) }
        if state == .dead, known.record.endBroadcast == nil { return finish(.other(.notFound)) }
        write(known, slot, now)
    }

    // MARK: The write, and what is read behind it

    private func write(_ known: KnownActivity, _ slot: UInt32, _ now: WallTime) {
        guard RosterGeometry.kind(ofSlot: slot).hasOneToken else {
            return write(known, slot, now, token: reportedToken)
        }
        readRegistrationToken { [self] in write(known, slot, now, token: $0) }
    }

    /// - Parameter token: The new token of its cell; nil for none.
    func write(_ known: KnownActivity, _ slot: UInt32, _ now: WallTime, token: [UInt8]?) {
        place = .some(slot)
        self.token = token
        let age = now.milliseconds - known.record.activity.createdAt.milliseconds
        let cell = token.map { UpdateToken.cell($0, reportedAfter: age) } ?? TokenPage.cellOfShownLiveActivity
        let command = known.write(slot: slot, reports.roster).command(
            index: RosterGeometry.index(ofSlot: slot), cell: cell, expiresAt: known.keptUntil, slot: Int(slot),
            now: known.record.activity.externalID == nil ? String(now.milliseconds) : "",
            elsewhere: lookup.otherPlaces.rawValue)
        let isBehind = reports.redis.keepsOrderAcrossKeys
        // Asked for first, so that its command is there when the turn's commands are written; it goes behind them all.
        if isBehind { readBehind(known) }
        send(command, .write)
        if isBehind { readDevice() }
    }

    func writeAgain(_ known: KnownActivity, _ slot: UInt32) {
        written = nil
        write(known, slot, reports.wallClock())
    }

    private func writeCame(_ reply: RedisReplyView) {
        guard let known else { return }
        guard let reply = Scripts.PutUpdateCellReply.read(reply) else {
            return finish(.failed(.damaged("the reply to an update token")))
        }
        let pendingEnd = reply.pendingEnd.isEmpty ? nil : PendingEnd(reply.pendingEnd)
        written = (reply.outcome, pendingEnd)
        if case .owed(let reason)? = pendingEnd { endedBefore = reason }
        wasReached = reply.reached ?? false
        sinceStart = reply.sinceStart
        if readsDone > 0 || round == 0 {
            readBehind(known)
            readDevice()
        }
    }

    private func readBehind(_ known: KnownActivity) {
        round += 1
        readsDone = 0
        reports.readEnd(of: known, for: self, round: round)
    }

    /// Handles the reply to the read of the activity's end, unless a later round has begun.
    func endCame(_ result: Result<UniqueID?, StoreError>, round: Int) {
        guard round == self.round else { return }
        pass(result) {
            endBroadcast = $0
            readCame()
        }
    }

    private func readDevice() {
        if case .some(.some(let slot)) = place, RosterGeometry.kind(ofSlot: slot).hasOneToken {
            let round = round
            return readUser { [self] in if round == self.round { userCame($0) } }
        }
        var builder = RedisCommandBuilder(copying: SyncCall.readHead, byteCountHint: userKey.count + 56)
        builder.append(userKey)
        builder.append(deviceField)
        send((consume builder).finish(), round == 1 ? .device : .deviceAgain)
    }

    private func deviceCame(_ reply: RedisReplyView) {
        guard !reply.isNull else { return finish(.other(.notFound)) }
        refusal = DeviceRecord.decode(Array(reply.bytes))?.refusesPushes
        changedKind = DeviceRecord.changedKind(in: reply.bytes)
        isKnownAsReached = DeviceRecord.isReached(in: reply.bytes)
        readCame()
    }

    /// The user was read behind the write, as it is for an Android device.
    private func userCame(_ user: UserRecord?) {
        guard let user, let device = user.device(device.udid) else { return finish(.other(.notFound)) }
        refusal = device.device.refusesPushes
        changedKind = device.changedKind
        isKnownAsReached = device.isReached
        noteToken(user.registrationToken(device: device.number))
        readCame()
    }

    private func readCame() {
        readsDone += 1
        // Without the write's reply they came too early, and are repeated when it is there.
        guard readsDone == 2, let written, let known, case .some(.some(let slot)) = place else { return }
        if let newer = newerToken {
            newerToken = nil
            self.written = nil
            return write(known, slot, reports.wallClock(), token: newer)
        }
        if wasReached, !isKnownAsReached { reports.markReached(userKey, deviceField) }
        end(written.outcome, known, slot)
    }
}
