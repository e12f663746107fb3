import Encodings
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "It is that of RFC 4648, section 10, and without padding for URLs",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8) == encoded)
        #expect(Base64.urlEncode(plain.utf8) == encoded.replacing("=", with: ""))
    }

    @Test("Two characters are others in URLs")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+")
        #expect(Base64.urlEncode([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test("Bytes of any length and value are encoded as Foundation does it")
    func oracle() {
        for length in 0...200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: length &* 31 &+ $0 &* 157) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
        }
    }
}
