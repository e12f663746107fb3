import Delivery
import FlatMemory
import HealthCore
import PoolCore
import Reactor
import TimeCore

/// Pushes to no device.
extension PushClient {
    /// Checks the credential with a probe, and keeps the probe. While the provider is in trouble and no other push
    /// exists, the client probes with it. A refused credential pauses the client. From any thread; ends within the push
    /// deadline.
    public func probeCredential(_ probe: ProbePush) async -> CredentialVerdict {
        await reactor.call(stopped: .shutDown) { [self] finished in
            guard closing == nil else { return finished(.shutDown) }
            let own = ownProbe ?? OwnProbe(self, probe)
            ownProbe = own
            own.waiters.append(finished)
            takeOwnProbe(own)
        }
    }

    /// Replaces the authorization of later pushes; those in progress are not affected. Connections that used the former
    /// one are drained and replaced, and a pause is probed immediately. On the reactor only.
    /// - Parameter source: An unshared source on the same reactor.
    public func replaceAuthorization(with source: any AuthorizationSource) {
        guard closing == nil else { return }
        authorization.replace(with: source)
        breaker.workCame(now: reactor.now)
        requestTurn()
    }

    /// Checks with one probe that the provider is reachable; `health` and `readyConnections` show the result. In a
    /// pause it is sent as soon as for new work. Has no effect while a probe is in progress. On the reactor only.
    public func probe(_ probe: ProbePush) {
        guard closing == nil else { return }
        breaker.workCame(now: reactor.now)
        let own = ownProbe ?? OwnProbe(self, probe)
        ownProbe = own
        takeOwnProbe(own)
    }

    /// Probes if no other push can serve as the probe.
    func probeByOneself(_ now: MonotonicTime) {
        guard let ownProbe, ownProbe.isIdle, breaker.isPaused, closing == nil, let look = breaker.nextLook, look <= now,
            probe == nil, let idleSince, now - idleSince >= PushClient.ownProbeDelay
        else { return }
        takeOwnProbe(ownProbe)
    }

    func isOwn(_ index: UInt32) -> Bool {
        ownProbe != nil && sources[pushes.records[Int(index)].source].receiver === ownProbe
    }

    private func takeOwnProbe(_ own: OwnProbe) {
        guard own.isIdle else { return }
        own.isIdle = false
        let source = sources.index(of: own.probe.push, own)
        sources.pushesTaken(source, 1)
        own.probe.address.withUnsafeBytes {
            pushes.insert(
                tag: 0, slot: 0, source: source, deadline: reactor.now + options.pushDeadline, token: $0,
                isSuspect: false)
        }
        if !isDeadlineTimerSet { setDeadlineTimer() }
        requestTurn()
    }
}

/// A push to no device, and the callbacks for its outcome.
final class OwnProbe: PushOutcomeReceiver {
    let probe: ProbePush
    var waiters: [(CredentialVerdict) -> Void] = []
    /// True if no probe is in progress.
    var isIdle = true
    private unowned let client: PushClient

    init(_ client: PushClient, _ probe: ProbePush) {
        self.client = client
        self.probe = probe
    }

    func pushesAccepted(_ pushes: UnsafeBufferPointer<AcceptedPush>) {
        finish(.good)
    }

    func pushesEnded(_ outcomes: UnsafeBufferPointer<PushResult>) {
        guard let outcome = outcomes.first?.outcome else { return }
        if case .rejected(let rejection) = outcome, let trouble = rejection.trouble, trouble.kind == .credential {
            client.breaker.credentialRefused(trouble, now: client.reactor.now, random: client.random())
        }
        finish(CredentialVerdict(outcome))
    }

    private func finish(_ verdict: CredentialVerdict) {
        isIdle = true
        client.requestTurn()
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter(verdict) }
    }
}

extension CredentialVerdict {
    init(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: self = .good
        case .rejected(let rejection):
            guard let trouble = rejection.trouble else {
                self = .good
                return
            }
            self =
                trouble.kind.isConfiguration
                ? .refused(reason: trouble.name) : .noAnswer("the provider answers \(trouble.name)")
        case .unsent(.shutDown, _): self = .shutDown
        case .unsent(.noConnection(let text), _): self = .noConnection(text)
        case .unsent(let cause, _): self = .noAnswer(cause.description)
        }
    }
}
