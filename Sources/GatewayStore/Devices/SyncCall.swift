import LiveActivity
import RedisClient
import TimeCore

/// One sync on its way through the store, on the reactor: two round trips, each of several commands in one write (in a
/// cluster three).
///
/// 1. The device's number and membership, and the activity unless it is known.
/// 2. The script that writes the token's cell, and behind it the reads that must come after the write: whether the
///    device still consents, and whether the activity has ended (one read for all syncs of the turn, see `EndReads`).
///    An end, or the withdrawal of a consent, changes its state first and looks at the cells then. So one of the two
///    always finds the other.
///
/// With a single Redis it is the connection that gives this order: the client has one connection, Redis carries out its
/// commands in the order in which they came, and so a read that was sent behind the write sees whatever happened before
/// the write. Only when the script was unknown to the server (it was sent again, behind the reads) are the reads
/// repeated. In a cluster the keys are on several nodes, and the reads are sent when the write has been answered: a
/// round trip more.
final class SyncCall {
    typealias Completion = (Result<SyncOutcome, StoreError>) -> Void

    private let store: GatewayStore
    private let device: DeviceKey
    private let tenantID: String
    /// Nil when the device says no more than that its card is there.
    private let token: [UInt8]?
    private let systemActivityID: String?
    private var completion: Completion?

    private let userKey: [UInt8]
    /// What the script replied: its outcome, and the broadcast that ends this card.
    private var written: (outcome: Int64, pendingEnd: UniqueID?)?
    private var endBroadcast: UniqueID?
    private var refusal: SkipReason?
    /// The activity's time is up.
    private var isOver = false
    /// How many of the two reads behind the write have come, and how often they were begun.
    private var readsDone = 0
    private var round = 0

    init(
        _ store: GatewayStore, _ device: DeviceKey, tenantID: String, token: [UInt8]?, systemActivityID: String?,
        completion: @escaping Completion
    ) {
        self.store = store
        self.device = device
        self.tenantID = tenantID
        self.token = token
        self.systemActivityID = systemActivityID
        self.completion = completion
        userKey = Array(Keys.user(tenantID, device.insiderID).utf8)
    }

    private func finish(_ result: Result<SyncOutcome, StoreError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    /// Sends a command whose failure is the sync's. After the first failure the other replies are passed over.
    private func send(_ command: RedisCommand, _ replied: @escaping (RedisReplyView) -> Void) {
        store.redis.send(command) { [self] result in
            guard completion != nil else { return }
            switch result {
            case .success(let reply): replied(reply)
            case .failure(let error): finish(.failure(StoreError(error)))
            }
        }
    }

    // MARK: Where the device's cell is

    /// Begins with an activity's id; the type is compared when it is given.
    func begin(_ id: UniqueID, type: String?) {
        // Once its time is up the activity may be known as started still, and have ended in one way or another.
        if let known = store.knownActivity(id), known.record.activity.endsAt > store.wallClock() {
            send(lookup(known.membershipField)) { [self] reply in
                found(known, slot: SyncCall.slot(reply), type)
            }
            return
        }
        // They are of different nodes in a cluster, and so may be answered in either order.
        var slot: UInt32??
        var known: KnownActivity?
        func complete() {
            guard let slot, let known else { return }
            found(known, slot: slot, type)
        }
        send(lookup(UserRecord.membershipField(id))) { reply in
            slot = .some(SyncCall.slot(reply))
            complete()
        }
        send(RedisCommand("HGETALL", Keys.activity(id))) { [self] reply in
            guard let record = ActivityRecord(id, reply.copy().fields) else { return finish(.success(.notFound)) }
            known = store.keep(record)
            complete()
        }
    }

    /// Begins with a place that was found in another way.
    func begin(_ record: ActivityRecord, slot: UInt32) {
        found(store.keep(record), slot: slot, nil)
    }

    /// Asks for the membership, and for the number by which it names the device.
    private func lookup(_ membershipField: [UInt8]) -> RedisCommand {
        var builder = RedisCommandBuilder("HMGET", byteCountHint: userKey.count + 96)
        builder.append(userKey)
        builder.append(membershipField)
        builder.append(UserRecord.deviceField(device.udid))
        return builder.finish()
    }

    private static func slot(_ reply: RedisReplyView) -> UInt32? {
        let parts = reply.elements
        guard parts.count == 2, !parts[0].isNull, !parts[1].isNull,
            let number = DeviceRecord.number(Array(parts[1].bytes))
        else { return nil }
        return Membership(Array(parts[0].bytes))?.slot(device: number)
    }

    private func found(_ known: KnownActivity, slot: UInt32?, _ type: String?) {
        let activity = known.record.activity
        let now = store.wallClock()
        guard let slot, activity.tenantID == tenantID else { return finish(.success(.notFound)) }
        if activity.endsAt <= now {
            // Its card must not be orphaned: it is found by the end that the gateway sends, or is sent it late.
            let isExpired = activity.state == .started || known.record.endReason == .expired
            guard isExpired, activity.startedAt != nil else { return finish(.success(.notFound)) }
            isOver = true
        }
        if let type, !activity.type.utf8.elementsEqual(type.utf8) {
            return finish(.success(.typeMismatch(registered: activity.type)))
        }
        guard activity.state != .registered else { return finish(.success(.notStarted)) }
        if activity.state == .dead, known.record.endBroadcast == nil { return finish(.success(.notFound)) }
        write(known, slot, now)
    }

    // MARK: The write, and what is read behind it

    private func write(_ known: KnownActivity, _ slot: UInt32, _ now: WallTime) {
        let activity = known.record.activity
        let cell =
            token.map {
                TokenPage.cell(
                    content: UpdateToken.encode(
                        $0, reportedAfter: now.milliseconds - activity.createdAt.milliseconds))
            } ?? TokenPage.cellOfShownCard
        let head = known.write(slot: slot, store)
        var call = head.call(byteCountHint: cell.count + 64)
        call.append(RosterGeometry.index(ofSlot: slot))
        call.append(cell)
        call.append(activity.keptUntil.milliseconds)
        call.append(Int(slot))
        let isBehind = store.redis.keepsOrderAcrossKeys
        // Asked for first, so that its command is there when the turn's commands are written; it goes behind them all.
        if isBehind { readBehind(known, slot) }
        send(head.finish(call)) { [self] reply in
            let parts = reply.elements
            written = (
                parts.first?.integer ?? -1,
                parts.count > 1 && !parts[1].bytes.isEmpty ? UniqueID(parts[1].string) : nil
            )
            if readsDone > 0 || !isBehind {
                readBehind(known, slot)
                readDevice(known, slot)
            }
        }
        if isBehind { readDevice(known, slot) }
    }

    private func readBehind(_ known: KnownActivity, _ slot: UInt32) {
        round += 1
        readsDone = 0
        store.readEnd(of: known) { [self, round] result in
            guard completion != nil, round == self.round else { return }
            switch result {
            case .success(let broadcast):
                endBroadcast = broadcast
                readCame(known, slot)
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    private func readDevice(_ known: KnownActivity, _ slot: UInt32) {
        var builder = RedisCommandBuilder("HGET", byteCountHint: userKey.count + 64)
        builder.append(userKey)
        builder.append(UserRecord.deviceField(device.udid))
        send(builder.finish()) { [self, round] reply in
            guard round == self.round else { return }
            refusal = reply.isNull ? nil : DeviceRecord.decode(Array(reply.bytes))?.refusesPushes
            readCame(known, slot)
        }
    }

    private func readCame(_ known: KnownActivity, _ slot: UInt32) {
        readsDone += 1
        // Without the write's reply they came too early, and are repeated when it is there.
        guard readsDone == 2, let written else { return }
        end(written.outcome, known, slot)
    }

    private func end(_ outcome: Int64, _ known: KnownActivity, _ slot: UInt32) {
        switch outcome {
        case 1, 3:
            guard let systemActivityID else { break }
            return name(systemActivityID, known) { [self] in conclude(known, slot) }
        case 0: break
        case 2: return finish(known, slot, lateEnd: nil)
        default: return finish(.success(.notFound))
        }
        conclude(known, slot)
    }

    private func conclude(_ known: KnownActivity, _ slot: UInt32) {
        // Nothing can be sent to a card without a token. What waits for it goes on waiting.
        guard token != nil || refusal != nil else { return finish(known, slot, lateEnd: nil) }
        if written?.outcome == 3, endBroadcast == nil, !isOver {
            return finish(.success(.dismissed(known.record, slot: slot)))
        }
        if token != nil, let pending = written?.pendingEnd {
            return finish(known, slot, lateEnd: pending)
        }
        guard let refusal else {
            if known.record.catchesUp, endBroadcast == nil, !isOver { return lookForUpdate(known, slot) }
            return finish(known, slot, lateEnd: endBroadcast)
        }
        let cell = TokenPage.cell(reason: refusal)
        send(store.clearUpdateCell(known.record.activity, slot: slot, cell, fate: nil, asOf: nil)) { [self] _ in
            finish(known, slot, lateEnd: token == nil ? nil : endBroadcast)
        }
    }

    /// Looks whether the activity has had an update that has not met this token, and will not.
    private func lookForUpdate(_ known: KnownActivity, _ slot: UInt32) {
        let record = known.record
        send(store.newestUpdate(of: record.activity)) { [self] reply in
            guard let update = MissedUpdate(reply.elements.map(\.string)) else {
                return finish(known, slot, lateEnd: nil)
            }
            send(store.hasMet(update, slot: slot, in: record.activity)) { [self] reply in
                if reply.integer == 1 { return finish(known, slot, lateEnd: nil) }
                finish(.success(.behind(record, slot: slot, update: update)))
            }
        }
    }

    private func finish(_ known: KnownActivity, _ slot: UInt32, lateEnd: UniqueID?) {
        let record = known.record
        finish(
            .success(
                isOver
                    ? .over(record, slot: slot, lateEnd: lateEnd) : .synced(record, slot: slot, lateEnd: lateEnd)))
    }

    /// Notes the name that iOS gave to the card.
    private func name(_ systemActivityID: String, _ known: KnownActivity, _ done: @escaping () -> Void) {
        let card = CardName(activity: known.record.activity.id, udid: device.udid, namedAt: store.wallClock())
        let command = RedisCommand(
            script: Scripts.nameCard, keys: [userKey],
            arguments: [UserRecord.systemActivityField(systemActivityID), card.bytes])
        send(command) { [self] reply in
            if reply.integer == 1 { done() } else { finish(.failure(.full)) }
        }
    }
}
