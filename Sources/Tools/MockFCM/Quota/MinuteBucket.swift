/// A quota per minute: a bucket that is refilled completely at the end of each minute. Times are in milliseconds since
/// 1970.
struct MinuteBucket {
    let capacity: Int
    private var minute: Int64 = .min
    private var left = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Takes one unit. Returns false if the bucket is empty until the end of the minute.
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

    /// Returns the whole seconds until the end of the minute, from 1 to 60.
    static func secondsToRefill(now: Int64) -> Int {
        Int((60_000 - now % 60_000 + 999) / 1_000)
    }
}
