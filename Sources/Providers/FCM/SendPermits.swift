import Delivery
import FCMCore
import Reactor
import TimeCore

/// Drives `SendAllowance`: requests permits from the quota, and schedules its next call. Confined to its reactor.
final class SendPermits {
    /// Called when more permits are available than before.
    var came: () -> Void = {}
    /// Called with the wait when the provider reports an exceeded quota; once for each wait.
    var quotaUsedUp: (TimeInterval) -> Void = { _ in }

    private var allowance: SendAllowance
    private let quota: any SendQuota
    private let reactor: Reactor
    /// The number of messages that left without a permit.
    private var owed = 0
    private var waiting = 0
    private var timer: (timer: ReactorTimer, time: MonotonicTime)?
    /// The time until which all gateways must not send.
    private var toldUntil = MonotonicTime(nanoseconds: 0)
    private var slowedAt: MonotonicTime?

    /// The minimum time between two reports of the provider's trouble.
    private static let slowingInterval = TimeInterval.seconds(1)

    init(_ quota: any SendQuota, messagesPerMinute: Int, on reactor: Reactor) {
        allowance = SendAllowance(messagesPerMinute: messagesPerMinute)
        self.quota = quota
        self.reactor = reactor
    }

    /// The number of messages that may leave now.
    var count: Int { allowance.permits(now: reactor.now) }

    /// Records messages that left. Missing permits are taken from later ones.
    func messagesLeft(_ count: Int) {
        owed += count
        owed -= allowance.messagesLeave(owed, now: reactor.now)
    }

    /// Sets the number of messages that could be sent now.
    func messagesWait(_ count: Int) {
        waiting = count
        look()
    }

    private func look() {
        let needed = waiting > 0 ? waiting + owed : 0
        if needed > 0, let request = allowance.messagesWait(needed, now: reactor.now) { ask(request) }
        let next = allowance.nextLook
        setTimer(waiting > count && next > reactor.now ? next : nil)
    }

    private func ask(_ request: SendAllowance.Request) {
        quota.take(request.count) { [weak self] reply in
            guard let self else { return }
            var isMore = false
            switch reply {
            case .granted(let count, let wait):
                isMore = allowance.granted(request.number, count, wait: wait, now: reactor.now)
            case .unavailable: allowance.requestFailed(request.number, now: reactor.now)
            }
            messagesLeft(0)
            look()
            if isMore, count > 0 { came() }
        }
    }

    private func setTimer(_ time: MonotonicTime?) {
        if timer?.time == time { return }
        if let timer { reactor.cancel(timer.timer) }
        timer = time.map { time in
            let timer = reactor.schedule(at: time) { [weak self] in
                self?.timer = nil
                self?.look()
            }
            return (timer, time)
        }
    }

    /// Stops all gateways for `wait` after FCM reported an exceeded quota.
    func quotaExceeded(wait: TimeInterval) {
        let now = reactor.now
        allowance.quotaExceeded(wait: wait, now: now)
        look()
        // Reported once for all messages in flight.
        guard now + wait >= toldUntil + Self.slowingInterval else { return }
        toldUntil = now + wait
        quota.quotaExceeded(wait: wait)
        quotaUsedUp(wait)
    }

    /// Reduces the rate of all gateways because FCM is in trouble.
    func slowDown() {
        let now = reactor.now
        if let slowedAt, now - slowedAt < Self.slowingInterval { return }
        slowedAt = now
        quota.slowDown()
    }
}
