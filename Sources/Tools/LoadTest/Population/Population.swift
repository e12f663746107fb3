import LiveActivity

/// The devices that are played. Everything about a device follows from the seed and its number, so that several runs,
/// and generators on several machines, meet the same ones.
struct Population: Sendable, Equatable {
    let seed: UInt64
    /// The number of the first device.
    let first: Int
    let count: Int

    /// Digits of a device's number in its insider id: all ids are of one length.
    static let digits = 8
    /// Numbers of devices stay below this.
    static let limit = 100_000_000

    /// What stands before the number in an insider id.
    var prefix: String { "load-\(seed)-" }

    func insiderID(_ device: Int) -> String {
        let number = String(device)
        return prefix + String(repeating: "0", count: max(0, Population.digits - number.count)) + number
    }

    /// What iOS calls the device.
    func identifier(_ device: Int) -> UniqueID {
        UniqueID(high: word(device, .udid, 0), low: word(device, .udid, 1))
    }

    /// The identifier as iOS writes it, in upper case.
    func udid(_ device: Int) -> String {
        identifier(device).description.uppercased()
    }

    /// A token of 32 bytes as its four words.
    ///
    /// - Parameter rotation: How many times the system has given the device another one.
    func token(_ device: Int, _ purpose: Purpose, rotation: Int) -> (UInt64, UInt64, UInt64, UInt64) {
        let base = UInt64(truncatingIfNeeded: rotation) &* 4
        return (
            word(device, purpose, base), word(device, purpose, base &+ 1), word(device, purpose, base &+ 2),
            word(device, purpose, base &+ 3)
        )
    }

    /// A token as its 64 hexadecimal digits.
    func text(_ device: Int, _ purpose: Purpose, rotation: Int) -> String {
        let words = token(device, purpose, rotation: rotation)
        return String(unsafeUninitializedCapacity: 64) { target in
            for (index, word) in [words.0, words.1, words.2, words.3].enumerated() {
                HexadecimalText.put(word, at: index * 16, in: UnsafeMutableRawBufferPointer(target))
            }
            return 64
        }
    }

    /// What a word of a device is for.
    enum Purpose: UInt64 {
        case udid = 1
        case startToken = 2
        case updateToken = 3
    }

    private func word(_ device: Int, _ purpose: Purpose, _ index: UInt64) -> UInt64 {
        let own = SplitMix64.scrambled(seed &+ purpose.rawValue &* 0x9E37_79B9_7F4A_7C15)
        let ofDevice = SplitMix64.scrambled(own ^ UInt64(truncatingIfNeeded: device) &* 0xD129_0685_25C1_0C7B)
        return SplitMix64.scrambled(ofDevice &+ index &* 0x9E37_79B9_7F4A_7C15)
    }
}
