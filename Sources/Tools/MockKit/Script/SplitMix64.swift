import TimeCore

/// The generator of Steele, Lea and Flood. It is small, fast, and good enough for drawing requests.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number in `0..<1`.
    mutating func nextFraction() -> Double {
        Double(next() >> 11) / 9_007_199_254_740_992
    }
}

extension MockLatency {
    /// Returns a latency, drawn at random if it varies.
    package func draw(_ random: inout SplitMix64) -> TimeInterval {
        switch self {
        case .none: .zero
        case .fixed(let value): value
        case .uniform, .percentiles: value(at: random.nextFraction())
        }
    }
}
