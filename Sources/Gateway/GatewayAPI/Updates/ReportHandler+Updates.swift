import Encodings
import NIOCore
import TimeCore

// Updates in front of the router, see `DirectUpdates`.
extension ReportHandler {
    /// True if an update may be answered here, as far as its head shows.
    func mayAnswer(_ update: UpdateRequest) -> Bool {
        guard let updates = service.context.updates, updates.isOn, !connection.isForwarding else { return false }
        return updates.keys[update.key] != nil
    }

    /// The time for which an update's body may follow its head. Slower ones go to the router, which checks the key
    /// before it reads the body.
    private static let bodyPause = TimeAmount.milliseconds(100)

    /// Handles the end of the available bytes. An update with part of its body goes to the router, because it would
    /// need memory here.
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

    /// Takes a complete update on a plain connection; false if the router must answer it.
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

    /// Carries out the complete update; false if the router must answer it.
    func decide() -> Bool {
        // After a stall the router decides: it refuses updates whose callers have left.
        guard service.stall(.now()) == .nothing, let updates = service.context.updates, let update,
            let run = updates.run(update, address: connection.clientAddress(forwardedFor: [])?.description)
        else { return false }
        // Confined to the event loop, to which it returns.
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
