import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

// Keeps an end of single devices pending for those that it cannot reach. Their next token receives it.
extension StoredPages {
    /// Passes over devices that were started again after the end was recorded.
    /// - Parameter endOrder: See `BroadcastOrder.endOrder`.
    func leaveOutLaterStarts(
        _ page: PageOfDevices, of order: BroadcastOrder, _ endOrder: Int,
        _ completion: @escaping (Result<PageOfDevices, StoreError>) -> Void
    ) {
        guard !page.devices.isEmpty else { return completion(.success(page)) }
        let starts = Keys.startCounts(order.activity.id, RosterGeometry.partition(ofPage: page.page))
        let slots = page.devices.map { "\(RosterGeometry.slot(page: page.page, index: $0.index))" }
        redis.send(RedisCommand("HMGET", arguments: [starts] + slots)) { result in
            completion(
                result.mapError { StoreError($0) }.map { notes in
                    let later = zip(page.devices, notes.elements).filter { _, note in
                        StartNote(note.string).map { $0.order >= endOrder } ?? false
                    }
                    return later.isEmpty ? page : page.without(Set(later.map(\.0.index)), .ended)
                })
        }
    }

    /// Keeps the end pending for the page's skipped devices, which may have reported since the page was read.
    func holdEnd(for page: PageOfDevices, of order: BroadcastOrder, _ done: @escaping (StoreError?) -> Void) {
        guard !page.awaited.isEmpty else { return done(nil) }
        let slots = page.awaited.map { RosterGeometry.slot(page: page.page, index: $0) }
        // The time has no effect: without a cell the script takes no token away.
        let calls = slots.map { slot in
            roster.clearUpdateCell(
                order.activity, slot: slot, [], status: nil, asOf: wallClock(), pendingEnd: order.pendingEnd,
                endOrder: order.endOrder)
        }
        clearCells(calls, slots, by: order.pendingEnd, in: order.activity, done)
    }

    /// Keeps the end pending for devices whose tokens the provider has refused. The tokens stay until the run is over:
    /// see `TokenQuarantine`.
    func holdEnd(
        forRefused outcome: PageOutcome, of order: BroadcastOrder, _ done: @escaping (StoreError?) -> Void
    ) {
        holdEnd(outcome.quarantinedTokens.map { ($0.index, $0.token) }, outcome, order, done)
    }

    /// Keeps the end pending for devices whose tokens did not take it. If a device has reported another token since,
    /// the end is sent to that one at once.
    func holdEnd(
        _ tokens: [(index: Int, token: [UInt8])], _ outcome: PageOutcome, _ order: BroadcastOrder,
        _ done: @escaping (StoreError?) -> Void
    ) {
        guard order.pendingEnd != nil, !tokens.isEmpty else { return done(nil) }
        let slots = tokens.map { RosterGeometry.slot(page: outcome.page, index: $0.index) }
        let hasOneToken = RosterGeometry.kind(ofPage: outcome.page).hasOneToken
        let calls = zip(slots, tokens).map { slot, refused in
            let token =
                hasOneToken
                ? RegistrationToken.cellContent(RegistrationToken.unescaped(refused.token)) : refused.token
            return roster.clearUpdateCell(
                order.activity, slot: slot, [], status: nil, asOf: outcome.pushedAt, token: token,
                pendingEnd: order.pendingEnd, endOrder: order.endOrder)
        }
        clearCells(calls, slots, by: order.pendingEnd, in: order.activity, done)
    }

    /// Takes dead update tokens away.
    func dropUpdateTokens(
        _ tokens: [(index: Int, token: [UInt8], asOf: WallTime)], _ outcome: PageOutcome, _ order: BroadcastOrder,
        _ done: @escaping (StoreError?) -> Void
    ) {
        // A dismissed Live Activity of which nothing was left to be ended is not one that was lost.
        let status =
            order.kind == .end && order.endReason == .userDismissed ? DeliveryStatus.ended(.userDismissed) : nil
        let slots = tokens.map { RosterGeometry.slot(page: outcome.page, index: $0.index) }
        let calls = zip(slots, tokens).map { slot, dead in
            roster.clearUpdateCell(
                order.activity, slot: slot, TokenPage.cellOfDeadToken, status: status, asOf: dead.asOf,
                token: dead.token, pendingEnd: status == nil ? order.pendingEnd : nil, endOrder: order.endOrder)
        }
        clearCells(calls, slots, by: order.pendingEnd, in: order.activity, done)
    }

    /// Sends calls of `Scripts.clearUpdateCell`, and adds late ends for slots that hold another token already. The end
    /// is pending for these only afterwards, so that the caller can repeat all of it after an error.
    func clearCells(
        _ calls: [ScriptCall<Scripts.ClearUpdateCellReply>], _ slots: [UInt32], by end: UniqueID?,
        in activity: Activity,
        _ done: @escaping (StoreError?) -> Void
    ) {
        var others: [UInt32] = []
        func answered(_ place: Int, _ reply: RedisReplyView) -> StoreError? {
            switch calls[place].result(.success(reply)) {
            case .success(.anotherToken): others.append(slots[place])
            case .success(.unchanged), .success(.cleared): break
            case .failure(let error): return error
            }
            return nil
        }
        sendAll(calls.map(\.command), answered) { [self] error in
            guard let end else { return done(error) }
            addLateEnds(others, by: end, in: activity) { [self] failure in
                if let failure { return done(failure) }
                let records = others.flatMap { slot in
                    let key = Keys.pendingEnds(activity.id, RosterGeometry.partition(ofSlot: slot))
                    return [
                        RedisCommand("HSET", key, Int(slot), end.description),
                        RedisCommand("PEXPIREAT", key, activity.keptUntil.milliseconds),
                    ]
                }
                sendAll(records) { done(error ?? $0) }
            }
        }
    }

    /// Adds the jobs that send an end to single devices.
    func addLateEnds(
        _ slots: [UInt32], by end: UniqueID, in activity: Activity, _ done: @escaping (StoreError?) -> Void
    ) {
        sendAll(slots.map { JobTicket.Part.slot($0).addition(to: end, activity.id).command }, completion: done)
    }
}
