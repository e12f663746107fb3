import TimeCore

/// The rate limits of devices ("Throttling and quotas" of FCM): messages per minute, and a token bucket of collapsible
/// messages. Times are in milliseconds since 1970.
struct DeviceRates {
    private struct Collapsible {
        /// The time at which the burst is fully restored.
        var wholeAt: Int64
        var keys: [Int] = []
    }

    let limits: MockFCM.DeviceLimits
    private var minute: Int64 = .min
    private var messages: [Int: Int] = [:]
    private var collapsible: [Int: Collapsible] = [:]

    init(_ limits: MockFCM.DeviceLimits) {
        self.limits = limits
    }

    enum Verdict: Equatable {
        case fine
        /// Accepted, but the device exceeds its number of collapse keys. The real provider stores messages of about
        /// four.
        case tooManyKeys
        /// Rejected, because the device's rate limit is exceeded.
        case tooMany
    }

    /// - Parameters:
    ///   - device: The hash of the registration token.
    ///   - collapseKey: The hash of the collapse key; nil without one.
    mutating func take(_ device: Int, collapseKey: Int?, now: Int64) -> Verdict {
        let current = now / 60_000
        if current != minute {
            minute = current
            messages.removeAll(keepingCapacity: true)
        }
        guard messages[device, default: 0] < limits.messagesPerMinute else { return .tooMany }
        var verdict = Verdict.fine
        if let collapseKey { verdict = takeCollapsible(device, collapseKey, now) }
        if verdict != .tooMany { messages[device, default: 0] += 1 }
        return verdict
    }

    private mutating func takeCollapsible(_ device: Int, _ key: Int, _ now: Int64) -> Verdict {
        let interval = Int64(limits.collapsibleInterval.inSeconds * 1_000)
        var state = collapsible[device] ?? Collapsible(wholeAt: now)
        let wholeAt = max(state.wholeAt, now) + interval
        guard wholeAt <= now + interval * Int64(limits.collapsibleBurst) else { return .tooMany }
        state.wholeAt = wholeAt
        let isNew = !state.keys.contains(key)
        if isNew { state.keys.append(key) }
        collapsible[device] = state
        return isNew && state.keys.count > limits.collapseKeys ? .tooManyKeys : .fine
    }
}
