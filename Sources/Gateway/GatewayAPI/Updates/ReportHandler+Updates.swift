import Encodings
import NIOCore
import TimeCore

// Updates that are answered in front of the router, see `DirectUpdates`.
extension ReportHandler {
    /// Whether an update whose head has come may be answered here.
    func mayAnswer(_ update: UpdateRequest) -> Bool {
        guard let updates = service.context.updates, updates.isOn, !connection.isForwarding else { return false }
        return updates.keys[update.key] != nil
    }

    /// How long the body of an update may come behind its head. The router, which knows how long a body may take, and
    /// asks first who sends it, has those that take longer.
    private static let bodyPause = TimeAmount.milliseconds(100)

    /// All that was there has been read. An update of which only some of the body has come would take memory here.
    func awaitBody() {
        guard let update, update.body == nil else { return passUpdate() }
        guard !update.isAwaited else { return }
        self.update?.isAwaited = true
        let began = update.began
        service.eventLoop.assumeIsolated().scheduleTask(in: ReportHandler.bodyPause) { [weak self] in
            guard let self, state == .gathering, self.update?.began == began else { return }
            passUpdate()
        }
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
        // The router refuses an update that came while the event loop stood still if its caller has left since.
        guard service.stall(.now()) == .nothing, let updates = service.context.updates, let update,
            let run = updates.run(update, address: connection.clientAddress(forwardedFor: [])?.description)
        else { return false }
        // Confined to the event loop: it is only handed back to it.
        nonisolated(unsafe) let handler = self
        let (eventLoop, service) = (service.eventLoop, service)
        updates.carryOut(run) { answer in
            eventLoop.execute {
                guard let answer else { return handler.passUpdate() }
                updates.note(run, answer)
                guard handler.state == .deciding else { return }
                handler.update = nil
                handler.send(
                    service.encoder.encode(answer.reply, requestID: run.requestID, closes: false, now: .recent()),
                    closes: false)
            }
        }
        return true
    }
}
