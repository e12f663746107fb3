public import TimeCore

/// The number of pushes that a provider has accepted in the last five to ten seconds.
public struct RecentAnswers: Sendable {
    private var current = 0
    private var previous = 0
    /// The beginning of the time that `current` counts.
    private var since: MonotonicTime?

    private static let period = TimeInterval.seconds(5)

    public init() {}

    /// Counts accepted pushes.
    public mutating func add(_ count: Int, now: MonotonicTime) {
        turn(now)
        current += count
    }

    /// The number of pushes accepted in the last five to ten seconds.
    public mutating func count(now: MonotonicTime) -> Int {
        turn(now)
        return current + previous
    }

    private mutating func turn(_ now: MonotonicTime) {
        guard let since else {
            self.since = now
            return
        }
        guard now - since >= RecentAnswers.period else { return }
        let isNext = now - (since + RecentAnswers.period) < RecentAnswers.period
        (previous, current) = (isNext ? current : 0, 0)
        self.since = isNext ? since + RecentAnswers.period : now
    }
}
