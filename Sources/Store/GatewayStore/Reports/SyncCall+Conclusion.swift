import Delivery
import LiveActivity
import RedisClient
import RosterCore

// Concludes a sync after its write and the reads behind it.
extension SyncCall {
    /// The write and the reads behind it have been answered.
    func end(_ outcome: Int, _ known: KnownActivity, _ slot: UInt32) {
        if !hasMoved, let kind = EnvironmentMoves.kind(after: outcome, in: slot, now: changedKind) {
            return move(to: kind, known)
        }
        switch outcome {
        case 0, 1, 3:
            guard let systemActivityID, outcome != 0 || lookup.isNameNew else { break }
            return name(systemActivityID, known) { [self] in conclude(known, slot) }
        case 2 where refusal != nil, 5 where refusal != nil: return finish(.other(.notFound))
        case 2 where mayHaveMissedEnd(slot), 5 where endedBefore == nil: return showAgain(known, slot)
        case 4: return findOwner(known, slot)
        case 6 where lookup.otherPlaces.isOpen && systemActivityID != nil: return findOwner(known, slot, isOwn: true)
        case 2, 5, 6: return finish(known, slot, lateEnd: nil)
        default: return finish(.other(.notFound))
        }
        conclude(known, slot)
    }

    func conclude(_ known: KnownActivity, _ slot: UInt32) {
        if isNews(known) { return publish(known, slot) { [self] in conclude(known, slot) } }
        // Nothing can be sent to a Live Activity without a token. An end that waits for it goes on waiting.
        guard token != nil || refusal != nil else {
            // The channel that the device follows was deleted before the end. Only the app can end the Live Activity.
            guard endBroadcast != nil else { return finish(known, slot, lateEnd: nil) }
            return send(RedisCommand("HGETALL", Keys.activity(known.id))) { [self] reply in
                let lost = ActivityRecord(known.id, reply.copy().fields)?.lostChannels
                let isKept = lost.map { !$0.contains(RosterGeometry.kind(ofSlot: slot)) } ?? false
                isKept ? finish(known, slot, lateEnd: nil) : finish(.other(.notFound))
            }
        }
        if refusal == nil, let endedBefore, endBroadcast == nil, !isOver {
            return finish(.other(.endedBefore(known.record, slot: slot, endedBefore)))
        }
        if case .broadcast(let end)? = written?.pendingEnd {
            // An end to some devices becomes pending before it is recorded. If the record was refused, ignore it.
            return send(RedisCommand("EXISTS", Keys.broadcast(known.record.activity.id, end))) { [self] reply in
                if reply.integer == 1 { return finish(known, slot, end: end) }
                written?.pendingEnd = nil
                conclude(known, slot)
            }
        }
        if refusal == nil {
            if changedKind != nil, token != nil, !hasLookedForMissed, endBroadcast == nil, !isOver {
                return lookForMissed(known, slot)
            }
            if let missed, endBroadcast == nil, !isOver {
                return finish(.other(.behind(known.record, slot: slot, update: missed)))
            }
            if known.catchesUp, endBroadcast == nil, !isOver, !known.record.hearsByChannel(slot) {
                return lookForUpdate(known, slot)
            }
        }
        finish(known, slot, end: endBroadcast)
    }

    /// Finishes with an end that the Live Activity has missed; nil for none. No push may end the Live Activity of a
    /// user who refuses pushes, so the app must end it, and reports no more.
    private func finish(_ known: KnownActivity, _ slot: UInt32, end: UniqueID?) {
        guard let refusal else { return finish(known, slot, lateEnd: end) }
        guard let end else { return clear(known, slot, refusal, endedBy: endedBefore) }
        send(RedisCommand("HGET", Keys.broadcast(known.record.activity.id, end), "reason")) { [self] reply in
            clear(known, slot, refusal, endedBy: UInt8(reply.string).flatMap(EndReason.init) ?? .endedByAPI)
        }
    }

    private func clear(_ known: KnownActivity, _ slot: UInt32, _ refusal: SkipReason, endedBy reason: EndReason?) {
        let clearing = reports.roster.clearUpdateCell(
            known.record.activity, slot: slot, TokenPage.cell(reason: refusal),
            status: reason.map(DeliveryStatus.ended), asOf: nil)
        run(clearing) { [self] _ in
            guard reason == nil else { return finish(.other(.notFound)) }
            // The device may have consented again before its token was cleared.
            readUser { [self] in
                self.refusal = $0?.device(device.udid)?.device.refusesPushes
                self.refusal == nil ? writeAgain(known, slot) : finish(known, slot, lateEnd: nil)
            }
        }
    }

    /// Checks if the activity has had an update that has not met this token, and will not.
    private func lookForUpdate(_ known: KnownActivity, _ slot: UInt32) {
        let record = known.record
        run(MissedUpdate.newest(of: record.activity)) { [self] newest in
            guard let update = newest.flatMap(MissedUpdate.init) else { return finish(known, slot, lateEnd: nil) }
            run(update.hasMet(slot: slot, in: record.activity)) { [self] hasMet in
                if hasMet { return finish(known, slot, lateEnd: nil) }
                finish(.other(.behind(record, slot: slot, update: update)))
            }
        }
    }

    /// True if a Live Activity may be there after its end was accepted. FCM keeps no message for ever, and an app for
    /// Android reports only a Live Activity that is there. An iPhone may report the token of an ended Live Activity
    /// that has not left its screen. A new token proves that the end went to a former one.
    private func mayHaveMissedEnd(_ slot: UInt32) -> Bool {
        RosterGeometry.kind(ofSlot: slot).hasOneToken && token != nil && endedBefore == nil
    }

    /// Records the report of an ended Live Activity that still shows as that of a running one.
    private func showAgain(_ known: KnownActivity, _ slot: UInt32) {
        run(reports.roster.showAgain(known.record.activity, slot: slot, isOver: isOver || endBroadcast != nil)) {
            [self] status in
            guard let reason = DeliveryStatus.endReason(UInt8(clamping: status)) else {
                return finish(known, slot, lateEnd: nil)
            }
            endedBefore = reason
            writeAgain(known, slot)
        }
    }

    private func finish(_ known: KnownActivity, _ slot: UInt32, lateEnd: UniqueID?) {
        if isOver { return finish(.other(.over(known.record, slot: slot, lateEnd: lateEnd))) }
        guard let lateEnd else { return finish(.noted(known, slot: slot)) }
        finish(.other(.synced(known.record, slot: slot, lateEnd: lateEnd)))
    }

    /// Records the name that iOS gave to the Live Activity.
    private func name(_ systemActivityID: String, _ known: KnownActivity, _ done: @escaping () -> Void) {
        let liveActivity = LiveActivityName(
            activity: known.record.activity.id, udid: device.udid, namedAt: reports.wallClock())
        let call = Scripts.nameLiveActivity(
            user: String(decoding: userKey, as: UTF8.self), field: UserRecord.systemActivityField(systemActivityID),
            value: liveActivity.bytes)
        run(call) { _ in done() }
    }
}
