import Encodings
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    private func plain(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(
        "Base16 is that of RFC 4648, section 10, in lower case",
        arguments: [
            ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foob", "666F6F62"), ("fooba", "666F6F6261"),
            ("foobar", "666F6F626172"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Hexadecimal.encode(Array(plain.utf8)) == encoded.lowercased())
        #expect(Hexadecimal.decode(encoded.utf8) == Array(plain.utf8))
    }

    @Test("Written in place they are those of the plain way, for each byte and length, and nothing else is written")
    func bytes() {
        for length in 0...70 {
            for first in stride(from: 0, through: 255, by: length < 9 ? 1 : 37) {
                let source = (0..<length).map { UInt8(truncatingIfNeeded: first + $0 * 73) }
                var target = [UInt8](repeating: 0xEE, count: length * 2 + 8)
                source.withUnsafeBytes { bytes in
                    target.withUnsafeMutableBytes {
                        guard let base = bytes.baseAddress else { return }
                        Hexadecimal.write(base, count: length, to: $0.baseAddress! + 3)
                    }
                }
                let expected = Array(plain(source).utf8)
                #expect(Array(target[3..<(3 + length * 2)]) == expected)
                #expect(target[..<3] + target[(3 + length * 2)...] == [UInt8](repeating: 0xEE, count: 8)[...])
                #expect(Hexadecimal.encode(source).utf8.elementsEqual(expected))
            }
        }
    }

    @Test("Those of a number are eight, the highest first, in either case")
    func numbers() {
        for value in [0, 1, 0x0123_4567, 0x89AB_CDEF, 0xF0E1_D2C3, .max] as [UInt32] {
            var target = [UInt8](repeating: 0, count: 8)
            target.withUnsafeMutableBytes { Hexadecimal.write(value, to: $0.baseAddress!) }
            let short = String(value, radix: 16)
            let digits = String(repeating: "0", count: 8 - short.count) + short
            #expect(String(decoding: target, as: UTF8.self) == digits)
            let upper = Hexadecimal.digits(value, inUpperCase: true)
            #expect((0..<8).map { UInt8(truncatingIfNeeded: upper >> ($0 * 8)) } == Array(digits.uppercased().utf8))
        }
    }

    @Test("Bytes come back from their digits in either case")
    func decoding() {
        let all = Array(UInt8.min ... .max)
        let text = Hexadecimal.encode(all)
        #expect(text.utf8.count == 512 && text == text.lowercased())
        #expect(Hexadecimal.decode(text.utf8) == all)
        #expect(Hexadecimal.decode(text.uppercased().utf8) == all)
        #expect(Hexadecimal.decode(sequence(first: UInt8(ascii: "0")) { $0 < 0x33 ? $0 + 1 : nil }) == [0x01, 0x23])
    }

    @Test("An odd number of digits, and any other character, is refused")
    func refused() {
        for text in ["0", "abc", "0g", "0x", " 0", "0 ", "-1", "ａ0", "0:"] {
            #expect(Hexadecimal.decode(text.utf8) == nil, "\(text)")
        }
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for byte in UInt8.min ... .max {
            #expect((Hexadecimal.decode([byte, UInt8(ascii: "0")]) != nil) == digits.contains(byte))
        }
    }
}
