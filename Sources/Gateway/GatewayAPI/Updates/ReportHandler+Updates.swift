import Encodings
import LiveActivity
import NIOCore
import TimeCore

// Updates that are answered in front of the router, see `DirectUpdates`.
extension ReportHandler {
    /// Whether an update whose head has come may be answered here.
    func mayAnswer(_ update: UpdateRequest) -> Bool {
        guard let updates = service.context.updates, updates.isOn, !connection.isForwarding else { return false }
        return updates.keys[update.key] != nil
    }

    /// All that was there has been read. An update of which only some of the body has come would take memory here.
    func passPieces() {
        if state == .gathering, update?.body != nil { passUpdate() }
    }

    /// The time for an update's body is over.
    func updateIsLate() {
        guard let updates = service.context.updates, let update else { return }
        let requestID = update.requestID ?? UniqueID.random().description
        let reply = updates.late(update, requestID)
        self.update = nil
        state = .reading
        send(
            service.encoder.encode(reply, requestID: requestID, closes: true, now: .now()), closes: true,
            isLast: true)
    }

    /// An update has come in whole, as bytes. False when it is the router's.
    func takePlain(_ new: UpdateRequest) -> Bool {
        guard mayAnswer(new) else { return false }
        deadlines.headCame(new.began)
        deadlines.bodyCame()
        update = new
        state = .deciding
        if decide() { return true }
        update = nil
        state = .between
        deadlines.withdrawn()
        return false
    }

    /// The update has come in whole. False when it is the router's.
    func decide() -> Bool {
        guard let updates = service.context.updates, let update,
            let run = updates.run(update, address: connection.clientAddress(forwardedFor: [])?.description)
        else { return false }
        // Confined to the event loop: it is only handed back to it.
        nonisolated(unsafe) let handler = self
        let (eventLoop, service) = (service.eventLoop, service)
        updates.carryOut(run) { reply in
            eventLoop.execute {
                guard let reply else { return handler.passUpdate() }
                updates.note(run, reply)
                guard handler.state == .deciding else { return }
                handler.update = nil
                handler.send(
                    service.encoder.encode(reply, requestID: run.requestID, closes: false, now: .now()), closes: false)
            }
        }
        return true
    }
}
