import Testing

@testable import LoadTest

@Suite("Mixes")
struct CallMixTests {
    @Test("Calls are drawn as often as their weights say")
    func weights() throws {
        let mix = try CallMix("register=1, start=2,update=16,end=1")
        var generator = SplitMix64(seed: 42)
        var counts: [CallKind: Int] = [:]
        for _ in 0..<200_000 { counts[mix.choose(using: &generator), default: 0] += 1 }
        for (kind, expected) in [(CallKind.register, 10_000), (.start, 20_000), (.update, 160_000), (.end, 10_000)] {
            #expect(abs((counts[kind] ?? 0) - expected) < 600, "\(kind): \(counts[kind] ?? 0)")
        }
        #expect(counts.count == 4)
    }

    @Test("A weight of zero, or none, means never")
    func never() throws {
        let mix = try CallMix("update=3,end=0")
        var generator = SplitMix64(seed: 1)
        for _ in 0..<1000 { #expect(mix.choose(using: &generator) == .update) }
        #expect(mix.description == "update=3")
    }

    @Test("What is no mix is refused with a sentence that names the part")
    func refused() {
        for (text, part) in [
            ("", "\"\""), ("update", "update"), ("update=x", "update=x"), ("sync=1", "sync=1"),
            ("update=-1", "update=-1"),
            ("update=1,update=2", "twice"), ("update=0", "needs a weight"), ("update=1,", "\"\""),
            ("update=1=2", "1=2"),
            ("update=9999999999999999999999", "9999"),
        ] {
            let error = #expect(throws: LoadTestError.self) { try CallMix(text) }
            #expect(error?.description.contains(part) == true, "\(text): \(error?.description ?? "")")
        }
    }
}
