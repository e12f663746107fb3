import Testing

@testable import Secrets

@Suite("Sealed secrets") struct SealingKeyTests {
    private let key = SealingKey(derivedFrom: [UInt8](repeating: 7, count: 32), label: "test")
    private let secret = Array("a token that nobody may read".utf8)
    private let context = Array("TEAM:KEY:1700000000".utf8)

    @Test("The cipher is AES-256-GCM: test case 14 of its authors")
    func knownAnswer() {
        let zeros = SealingKey(bytes: [UInt8](repeating: 0, count: 32))
        let sealed = zeros.seal(
            [UInt8](repeating: 0, count: 16), context: [], nonce: [UInt8](repeating: 0, count: 12))
        #expect(
            sealed
                == bytes("01000000000000000000000000cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"))
    }

    @Test("What was sealed opens with the same key and context, and looks different each time")
    func roundTrip() throws {
        let first = try #require(key.seal(secret, context: context))
        let second = try #require(key.seal(secret, context: context))
        #expect(first != second)
        #expect(first.count == secret.count + SealingKey.overhead)
        #expect(key.open(first, context: context) == secret)
        #expect(key.open(second, context: context) == secret)
        let empty = try #require(key.seal([], context: []))
        #expect(key.open(empty, context: []) == [])
    }

    @Test("Another secret, another label or another context does not open it")
    func strangers() throws {
        let sealed = try #require(key.seal(secret, context: context))
        let otherSecret = SealingKey(derivedFrom: [UInt8](repeating: 8, count: 32), label: "test")
        let otherLabel = SealingKey(derivedFrom: [UInt8](repeating: 7, count: 32), label: "text")
        #expect(otherSecret.open(sealed, context: context) == nil)
        #expect(otherLabel.open(sealed, context: context) == nil)
        #expect(key.open(sealed, context: Array("TEAM:KEY:1700000001".utf8)) == nil)
        #expect(key.open(sealed, context: []) == nil)
    }

    @Test("A single bit changed, a byte cut off or one added, and it does not open")
    func damage() throws {
        let sealed = try #require(key.seal(secret, context: context))
        for bit in 0..<(sealed.count * 8) {
            var damaged = sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(key.open(damaged, context: context) == nil, "bit \(bit)")
        }
        for count in 0..<sealed.count { #expect(key.open(Array(sealed.prefix(count)), context: context) == nil) }
        #expect(key.open(sealed + [0], context: context) == nil)
    }

    @Test("What is too long is not sealed")
    func tooLong() {
        #expect(key.seal([UInt8](repeating: 0, count: SealingKey.maximumLength + 1), context: []) == nil)
        #expect(key.open([UInt8](repeating: 1, count: SealingKey.maximumLength + 100), context: []) == nil)
    }
}
