/// A command's name in two words: its first 16 bytes in upper case. It allows a look-up without creating a string.
struct PackedCommandName: Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    /// Distinguishes longer names with an equal beginning.
    private let count: Int

    init(_ name: UnsafeRawBufferPointer) {
        count = name.count
        for (place, byte) in name.prefix(16).enumerated() {
            let isSmall = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            let capital = UInt64(isSmall ? byte & 0xDF : byte)
            if place < 8 { low |= capital << (8 * UInt64(place)) } else { high |= capital << (8 * UInt64(place - 8)) }
        }
    }

    init(_ name: String) {
        var name = name
        self = name.withUTF8 { PackedCommandName(UnsafeRawBufferPointer($0)) }
    }
}
