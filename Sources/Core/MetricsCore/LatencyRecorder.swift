/// A histogram that can be kept in a list. Confined to one thread.
public final class LatencyRecorder {
    private var histogram: LatencyHistogram

    /// See `LatencyHistogram.init`.
    public init(bounds: Int = 21) {
        histogram = LatencyHistogram(bounds: bounds)
    }

    /// Counts a time.
    public func record(nanoseconds: UInt64) {
        histogram.record(nanoseconds: nanoseconds)
    }

    /// See `LatencyHistogram.snapshot`.
    public func snapshot(droppingFirst dropped: Int = 0) -> HistogramSnapshot {
        histogram.snapshot(droppingFirst: dropped)
    }
}
