import Delivery
import LiveActivity
import Reactor
import RedisClient
import RosterCore

// The steps that few syncs need.
extension SyncCall {
    func ask(_ question: SyncMachine.Question, _ place: SyncMachine.Place) {
        let (known, slot, moves, device) = (place.known, place.slot, reports.moves, device)
        switch question {
        case .markReached:
            reports.markReached(userKey, deviceField)
            replied(.success(.done))
        case .name: name(known)
        case .publish(let sinceStart): publish(place, sinceStart)
        case .channel:
            send(RedisCommand("HGETALL", Keys.activity(known.id))) {
                let lost = ActivityRecord(known.id, $0.copy().fields)?.lostChannels
                return .flag(lost.map { !$0.contains(RosterGeometry.kind(ofSlot: slot)) } ?? false)
            }
        case .broadcast(let end):
            send(RedisCommand("EXISTS", Keys.broadcast(known.id, end))) { .flag($0.integer == 1) }
        case .endReason(let end, _):
            send(RedisCommand("HGET", Keys.broadcast(known.id, end), "reason")) {
                .reason(UInt8($0.string).flatMap(EndReason.init))
            }
        case .clear(let refusal, let reason):
            let clearing = reports.roster.clearUpdateCell(
                known.record.activity, slot: slot, TokenPage.cell(reason: refusal),
                status: reason.map(DeliveryStatus.ended), asOf: nil)
            run(clearing) { _ in .done }
        case .consent: readUser(round: 0)
        case .showAgain(let isOver):
            run(reports.roster.showAgain(known.record.activity, slot: slot, isOver: isOver)) {
                .reason(DeliveryStatus.endReason(UInt8(clamping: $0)))
            }
        case .move(let kind):
            let activity = known.record.activity
            wait(for: { () throws(StoreError) in try await moves.move(device, to: kind, in: activity) }) { .move($0) }
        case .coming:
            let id = known.id
            wait(for: { () throws(StoreError) in try await moves.coming(to: slot, in: id).update }) { .update($0) }
        case .newestUpdate:
            run(MissedUpdate.newest(of: known.record.activity)) { .update($0.flatMap(MissedUpdate.init)) }
        case .hasMet(let update): run(update.hasMet(slot: slot, in: known.record.activity)) { .flag($0) }
        }
    }

    private func name(_ known: KnownActivity) {
        let liveActivity = LiveActivityName(activity: known.id, udid: device.udid, namedAt: reports.wallClock())
        let call = Scripts.nameLiveActivity(
            user: String(decoding: userKey, as: UTF8.self),
            field: UserRecord.systemActivityField(systemActivityID ?? ""), value: liveActivity.bytes)
        run(call) { _ in .done }
    }

    /// Publishes a new token. For a tenant without a stream or a webhook a sync reads a table in memory.
    private func publish(_ place: SyncMachine.Place, _ sinceStart: Int?) {
        let (events, known, slot) = (reports.events, place.known, place.slot)
        if let switches = events.switches[tenantID, reports.redis.reactor.now], !switches.areOn {
            return replied(.success(.done))
        }
        let synced = SyncedDevice(key: device, sinceStart: sinceStart)
        reports.gathered.syncedDevices.ask(events, of: tenantID) { [self] areOn in
            guard areOn else { return replied(.success(.done)) }
            let cohort = known.record.cohort(ofPage: RosterGeometry.page(ofSlot: slot))
            reports.gathered.syncedDevices.add(synced, in: known.record.activity, cohort, to: events) { [self] in
                replied(.success(.done))
            }
        }
    }
}
