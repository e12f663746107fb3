import APNsCore
import Delivery
import PushClient
import Reactor

/// So many pushes to as many made-up tokens, as fast as there is room. Lives on the client's reactor.
final class PushRun: PushOutcomeReceiver, RoomListener, @unchecked Sendable {
    private let client: PushClient
    private let template: PushTemplate
    private let count: Int
    private var sent = 0
    private var ended = 0
    private(set) var accepted = 0
    private var finished: (@Sendable () -> Void)?
    /// As many as a broadcast gives in its turn.
    private static let batch = 64
    private let tokens = UnsafeMutablePointer<(UInt64, UInt64, UInt64, UInt64)>.allocate(capacity: batch)
    private let pushes = UnsafeMutablePointer<PendingPush>.allocate(capacity: batch)

    init(_ client: PushClient, template: PushTemplate, count: Int) {
        self.client = client
        self.template = template
        self.count = count
    }

    deinit {
        tokens.deallocate()
        pushes.deallocate()
    }

    func carryOut() async {
        await client.reactor.call(stopped: ()) { done in
            self.finished = { done(()) }
            self.client.add(self)
            self.send()
            // Without a connection there is no room yet.
            self.client.workCame()
        }
    }

    func roomGrew() {
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
            let size = min(PushRun.batch, count - sent)
            for index in 0..<size {
                let number = UInt64(sent + index)
                tokens[index] = (number, ~number, number &* 0x9E37_79B9_7F4A_7C15, number ^ 0x5555_5555)
                let token = UnsafeRawBufferPointer(start: tokens + index, count: 32)
                pushes[index] = PendingPush(token: token, slot: UInt32(truncatingIfNeeded: number), tag: number)
            }
            let taken = client.push(UnsafeBufferPointer(start: pushes, count: size), template, to: self)
            sent += taken
            if taken < size { return }
        }
    }
}
