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
        #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
    }

    @Test("Two characters are others in URLs")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF, 0xFE]) == "+//+")
        #expect(Base64.urlEncode([0xFB, 0xFF, 0xFE]) == "-__-")
    }

    @Test(
        "A text that is no Base64 is none",
        arguments: ["Z", "Zg", "Zg=", "Zm9v=", "Zh==", "Zm9=", "Z===", "====", "Zm-_", "Zm9vZ g=", "Zg==Zg=="])
    func malformed(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test("Bytes of any length and value are encoded as Foundation does it")
    func oracle() {
        for length in 0...200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: length &* 31 &+ $0 &* 157) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        }
    }
}
