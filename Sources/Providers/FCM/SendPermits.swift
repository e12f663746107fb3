import Delivery
import FCMCore
import Reactor
import TimeCore

/// Drives `SendAllowance`: asks for permits where the quota is kept, and looks again when it is time. Lives on its
/// reactor.
final class SendPermits {
    /// Called when there are more permits than before.
    var came: () -> Void = {}
    /// Called when the provider says that the quota is used up, with how long nothing is sent; once for a wait.
    var quotaUsedUp: (TimeInterval) -> Void = { _ in }

    private var allowance: SendAllowance
    private let quota: any SendQuota
    private let reactor: Reactor
    /// Messages that left without a permit.
    private var owed = 0
    private var waiting = 0
    private var timer: (timer: ReactorTimer, time: MonotonicTime)?
    /// Until when all gateways have been told to send nothing.
    private var toldUntil = MonotonicTime(nanoseconds: 0)
    private var slowedAt: MonotonicTime?

    /// What the provider says in so short a time of its trouble is told once.
    private static let slowingInterval = TimeInterval.seconds(1)

    init(_ quota: any SendQuota, messagesPerMinute: Int, on reactor: Reactor) {
        allowance = SendAllowance(messagesPerMinute: messagesPerMinute)
        self.quota = quota
        self.reactor = reactor
    }

    /// How many messages may leave now.
    var count: Int { allowance.permits(now: reactor.now) }

    /// So many messages have left. What there were no permits for is made good with the next ones.
    func messagesLeft(_ count: Int) {
        owed += count
        owed -= allowance.messagesLeave(owed, now: reactor.now)
    }

    /// So many messages are there to be sent now; 0 for none that could be.
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

    /// FCM says that the project's quota is used up: no gateway sends for so long.
    func quotaExceeded(wait: TimeInterval) {
        let now = reactor.now
        allowance.quotaExceeded(wait: wait, now: now)
        look()
        // Everything that is under way is told the same.
        guard now + wait >= toldUntil + Self.slowingInterval else { return }
        toldUntil = now + wait
        quota.quotaExceeded(wait: wait)
        quotaUsedUp(wait)
    }

    /// FCM is in trouble: all gateways send less.
    func slowDown() {
        let now = reactor.now
        if let slowedAt, now - slowedAt < Self.slowingInterval { return }
        slowedAt = now
        quota.slowDown()
    }
}
