import LiveActivity

/// The simulated devices. All properties follow from the seed and the device's number. Several runs and machines can
/// therefore use the same devices.
struct Population: Sendable, Equatable {
    let seed: UInt64
    /// The number of the first device.
    let first: Int
    let count: Int

    /// The number of digits in an insider id, so all ids have the same length.
    static let digits = 8
    /// The exclusive limit of device numbers.
    static let limit = 100_000_000

    /// The part of an insider id before the number.
    var prefix: String { "load-\(seed)-" }

    func insiderID(_ device: Int) -> String {
        let number = String(device)
        return prefix + String(repeating: "0", count: max(0, Population.digits - number.count)) + number
    }

    /// Returns the identifier of the device.
    func identifier(_ device: Int) -> UniqueID {
        UniqueID(high: word(device, .udid, 0), low: word(device, .udid, 1))
    }

    /// Returns the identifier in upper case, like iOS.
    func udid(_ device: Int) -> String {
        identifier(device).description.uppercased()
    }

    /// Returns a token of 32 bytes as four words.
    ///
    /// - Parameter rotation: The number of tokens that preceded it.
    func token(_ device: Int, _ purpose: Purpose, rotation: Int) -> (UInt64, UInt64, UInt64, UInt64) {
        let base = UInt64(truncatingIfNeeded: rotation) &* 4
        return (
            word(device, purpose, base), word(device, purpose, base &+ 1), word(device, purpose, base &+ 2),
            word(device, purpose, base &+ 3)
        )
    }

    /// Returns a token as 64 hexadecimal digits.
    func text(_ device: Int, _ purpose: Purpose, rotation: Int) -> String {
        let words = token(device, purpose, rotation: rotation)
        return String(unsafeUninitializedCapacity: 64) { target in
            for (index, word) in [words.0, words.1, words.2, words.3].enumerated() {
                HexadecimalText.put(word, at: index * 16, in: UnsafeMutableRawBufferPointer(target))
            }
            return 64
        }
    }

    /// The use of a random word of a device.
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
