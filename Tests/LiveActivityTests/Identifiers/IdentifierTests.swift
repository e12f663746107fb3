import Encodings
import TestSupport
import Testing

@testable import LiveActivity

@Suite("Identifiers")
struct IdentifierTests {
    @Test("A UUID is written in lower case and read in either")
    func spelling() {
        let id = UniqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(UniqueID("01234567-89AB-cdef-FEDC-ba9876543210") == id)
        #expect(
            id.bytes == [1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10])
    }

    @Test("With any other byte at any place, or a byte more or less, a text is no UUID; its letters' spelling is told")
    func bytes() {
        let text = Array("01234567-89AB-cdef-FEDC-ba9876543210".utf8)
        for place in text.indices {
            for byte in UInt8.min ... .max {
                var spoilt = text
                spoilt[place] = byte
                let isRight =
                    [8, 13, 18, 23].contains(place) ? byte == text[place] : Hexadecimal.value(of: byte) != nil
                var spelling = UniqueID.Spelling.smallLetters
                let id = spoilt.withUnsafeBufferPointer { UniqueID(ascii: $0, &spelling) }
                #expect((id != nil) == isRight, "\(byte) at \(place)")
                guard let id else { continue }
                let lowercase = String(decoding: spoilt, as: UTF8.self).lowercased()
                #expect(id.description == lowercase)
            }
        }
        for wrong in [text.dropLast(), text + [UInt8(ascii: "0")], []] {
            #expect(UniqueID(String(decoding: wrong, as: UTF8.self)) == nil)
        }
        let spellings: [(String, UniqueID.Spelling)] = [
            ("01234567-89AB-cdef-FEDC-ba9876543210", .mixed), ("01234567-89ab-cdef-fedc-ba9876543210", .smallLetters),
            ("01234567-89AB-CDEF-FEDC-BA9876543210", .capitals),
            ("01234567-8901-2345-6789-019876543210", .smallLetters),
            ("A1234567-8901-2345-6789-01987654321b", .mixed),
            ("01234567-8901-2345-6789-01987654321B", .capitals),
        ]
        for (text, expected) in spellings {
            var spelling = UniqueID.Spelling.mixed
            #expect(UniqueID(text, &spelling) != nil && spelling == expected, "\(text)")
        }
    }

    @Test("Random UUIDs are of version 4 and variant 10, come back from their text, and differ")
    func random() {
        let seed = TestSeed.current
        print("seed: \(seed)")
        var generator = SeededGenerator(seed: seed)
        var seen: Set<UniqueID> = []
        for _ in 0..<5000 {
            let id = UniqueID.random(using: &generator)
            #expect(UniqueID(id.description) == id, "seed \(seed)")
            #expect(Array(id.description)[14] == "4", "seed \(seed)")
            #expect("89ab".contains(Array(id.description)[19]), "seed \(seed)")
            #expect(Hexadecimal.encode(id.bytes) == id.description.filter { $0 != "-" })
            seen.insert(id)
        }
        #expect(seen.count == 5000)
        #expect(UniqueID.random() != UniqueID.random())
    }

    @Test("The id of an activity follows from that of each of its broadcasts, and is a random UUID as any other")
    func names() {
        // Redis keys contain this form, so it must not change.
        let known = UniqueID(high: 0x0123_4567_89AB_4DEF, low: 0x8123_0000_0000_0000)
        #expect(known.activity.description == "01234567-89ab-4def-8123-81a391dbedfb")
        var shards: Set<UInt64> = []
        for _ in 0..<5000 {
            let id = UniqueID.randomActivity()
            #expect(id.activity == id && Array(id.description)[14] == "4" && "89ab".contains(Array(id.description)[19]))
            let broadcast = id.randomBroadcast()
            #expect(broadcast.activity == id && broadcast != id && broadcast.bytes.prefix(10) == id.bytes.prefix(10))
            shards.insert(id.low % 64)
        }
        #expect(shards.count == 64)
    }

    @Test("Every bit that is not fixed is used")
    func bits() {
        var (ones, zeros) = ((high: UInt64(0), low: UInt64(0)), (high: UInt64(0), low: UInt64(0)))
        for _ in 0..<200 {
            let id = UniqueID.random()
            ones = (ones.high | id.high, ones.low | id.low)
            zeros = (zeros.high | ~id.high, zeros.low | ~id.low)
        }
        #expect(ones.high & zeros.high == ~0xF000 && ones.low & zeros.low == ~0xC000_0000_0000_0000)
    }

    @Test("The kernel is asked once for sixteen UUIDs; what is given out is wiped, and given to nobody else")
    func words() {
        let calls = Calls()
        let words = RandomWords { memory in
            let number = UInt64(calls.next())
            for index in 0..<(memory.count / 8) {
                memory.storeBytes(of: number << 32 | UInt64(index) + 1, toByteOffset: 8 * index, as: UInt64.self)
            }
            return true
        }
        var seen: Set<UInt64> = []
        for round in 1...3 {
            for _ in 0..<16 {
                let pair = words.pair()
                #expect(seen.insert(pair.0).inserted && seen.insert(pair.1).inserted && words.isWiped)
            }
            #expect(calls.count == round)
        }
        #expect(seen == Set((1...3).flatMap { round in (1...32).map { UInt64(round) << 32 | $0 } }))
    }

    @Test("UUIDs of several threads differ")
    func threads() async {
        let ids = await withTaskGroup(of: [UniqueID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<2000).map { _ in UniqueID.random() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids).count == 16_000)
    }

    @Test(
        "What is not a UUID is nil",
        arguments: Escaped.each([
            "", "01234567-89ab-cdef-fedc-ba987654321", "01234567-89ab-cdef-fedc-ba98765432100",
            "0123456789abcdeffedcba9876543210", "{01234567-89ab-cdef-fedc-ba9876543210}",
            "01234567-89ab-cdef-fedc-ba987654321g", "0123456-789ab-cdef-fedc-ba9876543210",
            "01234567-89ab-cdef-fedc_ba9876543210", "01234567-89ab-cdef-fedc-ba9876543210 ",
            "--------------------------------------", "０1234567-89ab-cdef-fedc-ba9876543210",
            "01234567-89ab-cdef-fedc-ba9876543210-", "01234567-89ab-cdef-fedc-ba98765432\u{0}0",
        ]))
    func noUUID(_ argument: Escaped<String>) {
        let text = argument.value
        #expect(UniqueID(text) == nil)
    }

    private final class Calls {
        private(set) var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }
}
