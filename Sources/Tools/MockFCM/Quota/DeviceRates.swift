import TimeCore

/// How much each device is sent ("Throttling and quotas" of FCM): so many messages a minute, and of collapsible ones a
/// burst that grows back one by one. Times are milliseconds since 1970.
struct DeviceRates {
    private struct Collapsible {
        /// When the burst is whole again.
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
        /// Taken, and with it the device has more keys than it may; the real provider keeps messages of some four.
        case tooManyKeys
        /// The device is sent too much.
        case tooMany
    }

    /// - Parameters:
    ///   - device: its registration token's hash.
    ///   - collapseKey: the hash of the message's key; nil for a message without one.
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
