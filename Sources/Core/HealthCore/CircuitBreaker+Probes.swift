public import Delivery
public import TimeCore

/// Probes and the connections that they need.
extension CircuitBreaker {
    /// Records that a connection received one push while `allowance` was 1.
    public mutating func probeBegan(now: MonotonicTime) {
        guard isPaused else { return }
        probes += 1
        pause.probing = now
        pause.lastProbe = now
    }

    /// Records a probe's end: nil if the provider served it, otherwise its trouble.
    public mutating func probeEnded(_ trouble: ProviderTrouble?, now: MonotonicTime, random: UInt64) {
        guard case .paused(let reason, let since) = health else { return }
        pause.probing = nil
        guard let trouble else {
            health = .healthy
            run.lastGood = now
            connections.failures = 0
            return
        }
        if reason.kind != trouble.kind || reason.name != trouble.name {
            health = .paused(PauseReason(trouble), since: since)
        }
        pause.probeDue = max(now + nextPause(since: since, now, random), pause.notBefore)
        if let seconds = trouble.retryAfter { retryAfter(seconds, now) }
    }

    /// Records a probe that ended without information about the provider. Another probe is due soon.
    public mutating func probeLost(now: MonotonicTime, random: UInt64) {
        guard case .paused = health else { return }
        pause.probing = nil
        pause.probeDue = max(now + nextPause(since: now, now, random), pause.notBefore)
    }

    /// Records the number of connections that accept pushes.
    /// - Parameter isNeeded: True if a push waits for a connection.
    public mutating func connectionsChanged(ready: Int, isNeeded: Bool, now: MonotonicTime) {
        let were = connections.ready
        connections.ready = ready
        guard ready == 0 else {
            connections.failures = 0
            connections.missingSince = nil
            // The first connection after a time without any justifies an immediate probe.
            if were == 0, case .paused(let reason, _) = health, reason.kind == .noConnection, pause.probing == nil {
                pause.probeDue = max(now, pause.notBefore)
            }
            return
        }
        if !isNeeded {
            connections.missingSince = nil
        } else if connections.missingSince == nil {
            connections.missingSince = now
        }
    }

    /// Records a failed connection attempt.
    public mutating func attemptFailed(_ text: String, now: MonotonicTime, random: UInt64) {
        connections.text = text
        connections.failures += 1
        guard connections.ready == 0, connections.failures >= configuration.attemptsToPause else { return }
        lackOfConnections(now, random)
    }

    mutating func lackOfConnections(_ now: MonotonicTime, _ random: UInt64) {
        connections.missingSince = nil
        let text = connections.text.isEmpty ? "no connection in time" : connections.text
        let reason = PauseReason(kind: .noConnection, name: "NoConnection", text: text)
        guard case .paused(let present, let since) = health else { return begin(reason, now, random) }
        // A pause for another reason ends only by a probe, which needs a connection.
        if present.kind != .noConnection { health = .paused(reason, since: since) }
    }
}
