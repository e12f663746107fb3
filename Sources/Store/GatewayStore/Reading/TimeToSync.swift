/// The times from start to sync. A device syncs by its update token; an Android device by the report that it shows its
/// Live Activity. Each device counts once, and once more after each start that healed a lost Live Activity.
public struct TimeToSync: Equatable, Sendable {
    /// The ends of the buckets in milliseconds, in ascending order. The last bucket has no end. `Scripts.PutUpdateCell`
    /// stores the counts by position, in fields `y0` and on. Never insert a bound.
    static let bounds = [
        250, 500, 1_000, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000,
        180_000, 300_000, 450_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000,
    ]
    /// The times that the API contract names, in seconds. Each is the end of a bucket.
    public static let named = [1, 5, 30, 60, 300, 900]

    static let fields = (0...bounds.count).map { "y\($0)" }

    private var buckets = [Int](repeating: 0, count: bounds.count + 1)

    public init() {}

    /// - Parameter counts: The counts of the buckets in order. Missing ones are 0.
    init(_ counts: [Int]) {
        for (place, count) in counts.prefix(buckets.count).enumerated() { buckets[place] = count }
    }

    /// The number of devices that have synced.
    public var count: Int { buckets.reduce(0, +) }

    /// The number of devices that have synced within a time, one of `named`.
    public func count(within seconds: Int) -> Int {
        zip(Self.bounds, buckets).filter { $0.0 <= seconds * 1_000 }.reduce(0) { $0 + $1.1 }
    }

    /// The seconds within which this share of the synced devices has synced; nil if none has. The value is interpolated
    /// within a bucket, and is at most the last bound.
    /// - Parameter share: Greater than 0, at most 1.
    public func quantile(_ share: Double) -> Double? {
        let count = count
        guard count > 0 else { return nil }
        let rank = share * Double(count)
        var below = 0
        for (place, size) in buckets.enumerated() where size > 0 {
            defer { below += size }
            guard Double(below + size) >= rank else { continue }
            let low = Double(place == 0 ? 0 : Self.bounds[place - 1])
            let high = place < Self.bounds.count ? Double(Self.bounds[place]) : low
            return (low + (high - low) * (rank - Double(below)) / Double(size)) / 1_000
        }
        return Double(Self.bounds.last ?? 0) / 1_000
    }

    /// Adds the counts of other devices.
    public mutating func add(_ other: TimeToSync) {
        for place in buckets.indices { buckets[place] += other.buckets[place] }
    }
}
