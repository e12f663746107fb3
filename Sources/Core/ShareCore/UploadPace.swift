public import TimeCore

/// Checks the speed of an upload. Only the time spent waiting for the client counts.
public struct UploadPace: Equatable, Sendable {
    /// The waiting time after which the speed is evaluated.
    public let window: TimeInterval
    /// The minimum speed in bytes a second; 0 disables the check.
    public let slowest: Int
    private var bytes = 0
    private var waited = UInt64(0)
    /// True if the last evaluation found the upload too slow.
    private var wasTooSlow = false

    public init(slowest: Int, window: TimeInterval = .seconds(30)) {
        self.window = window
        self.slowest = slowest
    }

    /// The remaining waiting time until the next evaluation; nil for no limit.
    public var patience: TimeInterval? {
        slowest > 0 ? TimeInterval(nanoseconds: window.nanoseconds - waited) : nil
    }

    /// True if the upload is too slow after waiting this much longer without bytes.
    public func isTooSlow(after more: TimeInterval) -> Bool {
        guard let patience, more >= patience else { return wasTooSlow }
        return Double(bytes) < Double(slowest) * (Double(waited) + Double(more.nanoseconds)) / 1e9
    }

    /// Records received bytes after a wait.
    public mutating func received(_ count: Int, after time: TimeInterval) {
        let isTooSlow = isTooSlow(after: time)
        bytes += count
        waited += time.nanoseconds
        // Each window is evaluated on its own, because old bytes say nothing about the present speed.
        guard waited >= window.nanoseconds else { return }
        wasTooSlow = isTooSlow
        bytes = 0
        waited = 0
    }
}
