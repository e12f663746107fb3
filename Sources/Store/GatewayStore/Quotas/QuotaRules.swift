import TimeCore

/// The constants of the send quota. Times are in µs, as in the scripts.
enum QuotaRules {
    /// The time over which a minute's quota is spread. It exceeds a minute because a permit is valid for a second and a
    /// burst leaves at once. So no minute has more messages than the quota.
    static let window = 61_100_000
    /// The part of the rate that may be granted at once.
    static let burst = 100_000
    /// The time without use after which the rate starts again at `firstShare`.
    static let rest = 60_000_000
    /// The share of the rate at which the ramp starts.
    static let firstShare = 0.1
    /// The time in which a reduced rate grows by the whole rate.
    static let recovery = 10_000_000
    /// The lowest share to which repeated halving reduces the rate.
    static let leastShare = 0.05
    /// The longest pause that a provider can impose. Its quota applies to a minute.
    static let longestWait = 120_000_000
}
