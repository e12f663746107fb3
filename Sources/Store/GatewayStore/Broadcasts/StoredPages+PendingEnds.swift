import Delivery
import LiveActivity
import RedisClient
import TimeCore

// An end of single devices that does not reach one, because it has lost its token or takes no pushes, is sent to the
// device's next token.
extension StoredPages {
    /// Has the end wait for devices of a page that it passes over. They may have reported since the page was read.
    func holdEnd(for page: PageOfDevices, of order: BroadcastOrder, _ done: @escaping (StoreError?) -> Void) {
        guard !page.awaited.isEmpty else { return done(nil) }
        let slots = page.awaited.map { RosterGeometry.slot(page: page.page, index: $0) }
        let commands = slots.map { slot in
            roster.clearUpdateCell(
                order.activity, slot: slot, [], status: nil, asOf: page.readAt, pendingEnd: order.pendingEnd,
                readAt: page.readAt)
        }
        send(commands, slots, of: order, done)
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
        let commands = zip(slots, tokens).map { slot, dead in
            roster.clearUpdateCell(
                order.activity, slot: slot, TokenPage.cellOfDeadToken, status: status, asOf: dead.asOf,
                token: dead.token, pendingEnd: status == nil ? order.pendingEnd : nil, readAt: outcome.readAt)
        }
        send(commands, slots, of: order, done)
    }

    /// Sends calls of `Scripts.clearUpdateCell`, and the end once more to slots that hold another token already.
    private func send(
        _ commands: [RedisCommand], _ slots: [UInt32], of order: BroadcastOrder,
        _ done: @escaping (StoreError?) -> Void
    ) {
        var late: [RedisCommand] = []
        func answered(_ place: Int, _ reply: Int64?) {
            guard reply == 2, let end = order.pendingEnd else { return }
            late.append(JobTicket.Part.lateEnd(slot: slots[place]).addition(to: end, order.activity.id))
        }
        sendAll(commands, answered) { [self] error in
            sendAll(late) { done(error ?? $0) }
        }
    }
}
