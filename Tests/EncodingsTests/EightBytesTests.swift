import Encodings
import Testing

@Suite("Eight bytes at a time")
struct EightBytesTests {
    @Test("The first byte that is asked for is marked, and none where there is none")
    func first() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                for filler in [UInt8(ascii: " "), UInt8(ascii: "a"), 0x7E] where filler != byte {
                    var bytes = [UInt8](repeating: filler, count: 8)
                    bytes[place] = byte
                    let word = EightBytes(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
                    func isExact(_ marks: UInt64, _ isMeant: (UInt8) -> Bool) -> Bool {
                        marks.trailingZeroBitCount / 8 == bytes.firstIndex(where: isMeant) ?? 8
                    }
                    #expect(isExact(word.marks(below: 0x20)) { $0 < 0x20 })
                    #expect(isExact(word.marks(below: 0x80)) { $0 < 0x80 })
                    #expect(isExact(word.marks(of: byte)) { $0 == byte })
                    #expect(isExact(word.marks(of: 0x22)) { $0 == 0x22 })
                    #expect(isExact(word.marksBeyondASCII) { $0 >= 0x80 })
                }
            }
        }
    }

    @Test("In a text of any length a byte is found wherever it stands")
    func texts() {
        for length in 0..<30 {
            let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
            func isFound(_ text: [UInt8]) -> Bool {
                text.withUnsafeBufferPointer { text in
                    EightBytes.areMarked(in: text) { $0.marks(of: 0x7F) | $0.marks(below: 0x20) }
                }
            }
            #expect(!isFound(plain))
            for place in 0..<length {
                for byte in [0, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var text = plain
                    text[place] = byte
                    #expect(isFound(text) == (byte < 0x20 || byte == 0x7F), "\(byte) at \(place) of \(length)")
                }
            }
        }
    }
}
