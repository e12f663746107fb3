public import TimeCore

/// Whether a client that sends much sends fast enough. Only the time counts in which it is waited for.
public struct UploadPace: Equatable, Sendable {
    /// For how long a client is waited for before it is said how fast it is.
    public let window: TimeInterval
    /// In bytes a second; 0 for any pace.
    public let slowest: Int
    private var bytes = 0
    private var waited = UInt64(0)
    /// Whether it was too slow when it was last said.
    private var wasTooSlow = false

    public init(slowest: Int, window: TimeInterval = .seconds(30)) {
        self.window = window
        self.slowest = slowest
    }

    /// How much longer it may be waited for before it can be said; nil for any time.
    public var patience: TimeInterval? {
        slowest > 0 ? TimeInterval(nanoseconds: window.nanoseconds - waited) : nil
    }

    /// Whether it is too slow when it has been waited for so much longer, and nothing has come.
    public func isTooSlow(after more: TimeInterval) -> Bool {
        guard let patience, more >= patience else { return wasTooSlow }
        return Double(bytes) < Double(slowest) * (Double(waited) + Double(more.nanoseconds)) / 1e9
    }

    /// So much has come when it had been waited for so long.
    public mutating func received(_ count: Int, after time: TimeInterval) {
        let isTooSlow = isTooSlow(after: time)
        bytes += count
        waited += time.nanoseconds
        // What was long ago says nothing of the present.
        guard waited >= window.nanoseconds else { return }
        wasTooSlow = isTooSlow
        bytes = 0
        waited = 0
    }
}
