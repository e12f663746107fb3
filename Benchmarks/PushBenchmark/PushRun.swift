import Delivery
import Glibc
import Reactor

/// Sends `count` pushes to generated tokens as fast as the provider has room. Confined to the provider's reactor.
final class PushRun: PushOutcomeReceiver, RoomListener, @unchecked Sendable {
    /// The form of the tokens.
    enum Tokens {
        /// 32 bytes, as APNs uses them.
        case binary
        /// 152 characters, as FCM uses them.
        case text

        var length: Int { self == .binary ? 32 : 152 }
    }

    private let provider: any PushProvider
    private let reactor: Reactor
    private let push: any RenderedPush
    private let form: Tokens
    private let count: Int
    private var sent = 0
    private var ended = 0
    private(set) var accepted = 0
    private var finished: (@Sendable () -> Void)?
    /// The most pushes that a broadcast sends in its turn.
    private static let batch = 64
    private let tokens: UnsafeMutableRawPointer
    private let pushes = UnsafeMutablePointer<PendingPush>.allocate(capacity: batch)

    init(_ provider: any PushProvider, on reactor: Reactor, _ push: any RenderedPush, tokens form: Tokens, count: Int) {
        self.provider = provider
        self.reactor = reactor
        self.push = push
        self.form = form
        self.count = count
        tokens = .allocate(byteCount: PushRun.batch * form.length, alignment: 16)
        memset(tokens, Int32(UInt8(ascii: "a")), PushRun.batch * form.length)
    }

    deinit {
        tokens.deallocate()
        pushes.deallocate()
    }

    func carryOut() async {
        await reactor.call(stopped: ()) { done in
            self.finished = { done(()) }
            self.provider.add(self)
            self.send()
            // Without a connection the provider has no room yet.
            self.provider.workCame()
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
        while sent < count, provider.room > 0 {
            let size = min(PushRun.batch, count - sent)
            for index in 0..<size {
                let number = UInt64(sent + index)
                let token = UnsafeMutableRawBufferPointer(start: tokens + index * form.length, count: form.length)
                write(number, to: token)
                pushes[index] = PendingPush(
                    token: UnsafeRawBufferPointer(token), slot: UInt32(truncatingIfNeeded: number), tag: number)
            }
            let taken = provider.push(UnsafeBufferPointer(start: pushes, count: size), push, to: self)
            sent += taken
            if taken < size { return }
        }
    }

    private func write(_ number: UInt64, to token: UnsafeMutableRawBufferPointer) {
        switch form {
        case .binary:
            token.storeBytes(
                of: (number, ~number, number &* 0x9E37_79B9_7F4A_7C15, number ^ 0x5555_5555),
                as: (UInt64, UInt64, UInt64, UInt64).self)
        case .text:
            for place in 0..<16 {
                token[place] = UInt8(ascii: "a") + UInt8(truncatingIfNeeded: number >> UInt64(4 * place)) & 15
            }
        }
    }
}
