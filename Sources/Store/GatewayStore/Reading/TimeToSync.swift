/// How long after their start devices have synced: reported the update token, of an Android device that its Live
/// Activity is there. Of each device the first sync counts, and again when it was started again because its Live
/// Activity was lost.
public struct TimeToSync: Equatable, Sendable {
    /// The ends of the buckets in milliseconds, in ascending order; the last bucket has none. `Scripts.putUpdateCell`
    /// counts by them, in fields `y0` and on, so they are stored: no bound may be added in between.
    static let bounds = [
        250, 500, 1_000, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000,
        180_000, 300_000, 450_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000,
    ]
    /// The times that the contract names, in seconds. All are bounds of buckets.
    public static let named = [1, 5, 30, 60, 300, 900]

    static let fields = (0...bounds.count).map { "y\($0)" }

    private var buckets = [Int](repeating: 0, count: bounds.count + 1)

    public init() {}

    /// - Parameter counts: of the buckets in their order; what is missing is none.
    init(_ counts: [Int]) {
        for (place, count) in counts.prefix(buckets.count).enumerated() { buckets[place] = count }
    }

    /// How many devices have synced.
    public var count: Int { buckets.reduce(0, +) }

    /// How many have synced within so many seconds, one of `named`.
    public func count(within seconds: Int) -> Int {
        zip(Self.bounds, buckets).filter { $0.0 <= seconds * 1_000 }.reduce(0) { $0 + $1.1 }
    }

    /// Within how many seconds this share of those that have synced has, interpolated within a bucket; nil when none
    /// has. What is beyond the last bound counts as that.
    /// - Parameter share: over 0, at most 1.
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

    /// Takes in what has been counted elsewhere.
    public mutating func add(_ other: TimeToSync) {
        for place in buckets.indices { buckets[place] += other.buckets[place] }
    }
}
