import TimeCore

/// How the quota of a minute is given out. In microseconds, as the scripts reckon.
enum QuotaRules {
    /// How many of a quota's messages leave in so long, so that no more than the quota leave in any minute: a permit is
    /// good for a second, and a moment's worth may be given at once.
    static let window = 61_100_000
    /// The moment: so much of the rate is given at once.
    static let burst = 100_000
    /// After so long without use the rate is begun anew at `firstShare`.
    static let rest = 60_000_000
    /// What of the rate the ramp begins with.
    static let firstShare = 0.1
    /// A rate that was halved grows by the whole in so long.
    static let recovery = 10_000_000
    /// It is not halved any further.
    static let leastShare = 0.05
    /// No longer is a provider's wish to be left alone granted: its quota is one of a minute.
    static let longestWait = 120_000_000
}
