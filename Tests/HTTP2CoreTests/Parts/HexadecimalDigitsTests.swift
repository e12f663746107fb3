import Testing

@testable import HTTP2Core

@Suite("Hexadecimal digits")
struct HexadecimalDigitsTests {
    @Test("are those of the plain way, for each byte at each place and each length, and nothing else is written")
    func bytes() {
        for length in 0...70 {
            for first in stride(from: 0, through: 255, by: length < 9 ? 1 : 37) {
                let source = (0..<length).map { UInt8(truncatingIfNeeded: first + $0 * 73) }
                var target = [UInt8](repeating: 0xEE, count: length * 2 + 8)
                source.withUnsafeBytes { bytes in
                    target.withUnsafeMutableBytes {
                        guard let base = bytes.baseAddress else { return }
                        HexadecimalDigits.write(base, count: length, to: $0.baseAddress! + 3)
                    }
                }
                let expected = Array(RequestKind.hexadecimal(source).utf8)
                #expect(Array(target[3..<(3 + length * 2)]) == expected)
                #expect(target[..<3] + target[(3 + length * 2)...] == [UInt8](repeating: 0xEE, count: 8)[...])
            }
        }
    }

    @Test("of a number are eight, the highest first")
    func numbers() {
        for value in [0, 1, 0x0123_4567, 0x89AB_CDEF, 0xF0E1_D2C3, .max] as [UInt32] {
            var target = [UInt8](repeating: 0, count: 8)
            target.withUnsafeMutableBytes { HexadecimalDigits.write(value, to: $0.baseAddress!) }
            let digits = String(value, radix: 16)
            #expect(String(decoding: target, as: UTF8.self) == String(repeating: "0", count: 8 - digits.count) + digits)
        }
    }
}
