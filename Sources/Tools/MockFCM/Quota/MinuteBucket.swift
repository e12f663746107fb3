/// A quota of so many a minute: a bucket that is emptied at any speed and refilled whole at the minute's end. Times are
/// milliseconds since 1970.
struct MinuteBucket {
    let capacity: Int
    private var minute: Int64 = .min
    private var left = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes one. False when the bucket is empty until the minute's end.
    mutating func take(now: Int64) -> Bool {
        let current = now / 60_000
        if current != minute {
            minute = current
            left = capacity
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    /// Whole seconds to the minute's end, from 1 to 60.
    static func secondsToRefill(now: Int64) -> Int {
        Int((60_000 - now % 60_000 + 999) / 1_000)
    }
}
