/// The generator SplitMix64. Equal seeds give equal numbers, so runs are repeatable.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return SplitMix64.scrambled(state)
    }

    /// Returns a number in `0..<1` with 53 random bits.
    mutating func fraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Hashes a word. Distinct words have distinct results.
    static func scrambled(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
