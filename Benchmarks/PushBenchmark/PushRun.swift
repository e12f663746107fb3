import PushClient
import PushProtocol
import Reactor

/// So many pushes to as many made-up tokens, as fast as there is room. Lives on the client's reactor.
final class PushRun: PushOutcomeReceiver, PushRoomListener, @unchecked Sendable {
    private let client: PushClient
    private let template: PushTemplate
    private let count: Int
    private var sent = 0
    private var ended = 0
    private(set) var accepted = 0
    private var finished: (@Sendable () -> Void)?

    init(_ client: PushClient, template: PushTemplate, count: Int) {
        self.client = client
        self.template = template
        self.count = count
    }

    func carryOut() async {
        await client.reactor.call(stopped: ()) { done in
            self.finished = { done(()) }
            self.client.addRoomListener(self)
            self.send()
            // Without a connection there is no room yet.
            self.client.workCame()
        }
    }

    func roomGrew(_ client: PushClient) {
        send()
    }

    var pushesWaiting: Int { count - sent }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) {
        accepted += pushes.count
        ended(pushes.count)
    }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        ended(outcomes.count)
    }

    private func ended(_ number: Int) {
        ended += number
        if ended == count { finished?() } else { send() }
    }

    private func send() {
        while sent < count, client.room > 0 {
            let number = UInt64(sent)
            let token = (number, ~number, number &* 0x9E37_79B9_7F4A_7C15, number ^ 0x5555_5555)
            let isTaken = withUnsafeBytes(of: token) {
                client.push(template, token: $0, slot: UInt32(truncatingIfNeeded: sent), tag: number, to: self)
            }
            guard isTaken else { return }
            sent += 1
        }
    }
}
