import Foundation

/// Random numbers that a seed reproduces (SplitMix64).
struct SeededDraws: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func fraction() -> Double { Double.random(in: 0..<1, using: &self) }
    mutating func happens(_ probability: Double) -> Bool { fraction() < probability }
    mutating func token() -> Data { Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &self) }) }
}

/// Settings of the walks, from the environment.
enum WalkSettings {
    /// The seed of the first walk. Each further walk adds one.
    static let seed: UInt64 = number("FANFARE_SEED") ?? 20_270_611
    /// The number of walks against the model.
    static let lives = Int(number("FANFARE_DEVICE_LIVES") ?? 2000)

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
