import Encodings
import NIOCore
import TimeCore

// Updates in front of the router, see `DirectUpdates`.
extension ReportHandler {
    /// True if updates may be answered here.
    var mayAnswerUpdates: Bool { service.context.updates?.isOn == true && !connection.isForwarding }

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
    func takePlain(_ update: UpdateRequest) -> Bool {
        guard mayAnswerUpdates, let run = run(update) else { return false }
        deadlines.headCame(update.began)
        deadlines.bodyCame()
        carryOut(run)
        return true
    }

    /// Parses a complete update; nil if the router must answer it.
    func run(_ update: UpdateRequest) -> DirectUpdates.Run? {
        // After a stall the router decides: it refuses updates whose callers have left.
        guard service.stall(.now()) == .nothing else { return nil }
        return service.context.updates?.run(
            update, address: connection.clientAddress(forwardedFor: [])?.description)
    }

    func carryOut(_ run: DirectUpdates.Run) {
        guard let updates = service.context.updates else { return }
        state = .deciding
        update = nil
        // Confined to the event loop, to which it returns.
        nonisolated(unsafe) let handler = self
        let (eventLoop, service) = (service.eventLoop, service)
        updates.carryOut(run) { answer in
            eventLoop.execute {
                let reply = updates.note(run, answer)
                guard handler.state == .deciding else { return }
                handler.send(
                    service.encoder.encode(reply, requestID: run.requestID, closes: false, now: .recent()),
                    closes: false)
            }
        }
    }
}
