import Foundation
import TestSupport
import Testing

@Suite("Any bytes from a peer")
struct FuzzTests {
    @Test("what the fuzzer has found and kept breaks no rule of ours")
    func replay() throws {
        let folder = try #require(
            Bundle.module.url(forResource: "HTTP2Cases", withExtension: nil, subdirectory: "Resources"))
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 20)
        for file in files {
            let violation = FuzzCase.violation([UInt8](try Data(contentsOf: file)))
            #expect(violation == nil, "\(file.lastPathComponent)")
        }
    }

    /// `FANFARE_FUZZ_SEED` repeats a run, `FANFARE_FUZZ_COUNT` says how many stories are tried.
    @Test("kept stories with bytes changed at random, and parts of them put together, break none either")
    func mutations() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FANFARE_FUZZ_SEED"].flatMap(UInt64.init) ?? TestSeed.current
        let count = environment["FANFARE_FUZZ_COUNT"].flatMap(Int.init) ?? 1_500
        var random = SeededGenerator(seed: seed)
        let folder = try #require(
            Bundle.module.url(forResource: "HTTP2Cases", withExtension: nil, subdirectory: "Resources"))
        let stories = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { [UInt8](try Data(contentsOf: $0)) }
        for number in 0..<count {
            var story = stories.randomElement(using: &random) ?? []
            let other = stories.randomElement(using: &random) ?? []
            story =
                story.prefix(.random(in: 0...story.count, using: &random))
                + other.suffix(.random(in: 0...other.count, using: &random))
            for _ in 0..<Int.random(in: 0...4, using: &random) where !story.isEmpty {
                story[.random(in: story.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let violation = FuzzCase.violation(story)
            #expect(violation == nil, "FANFARE_FUZZ_SEED=\(seed), story \(number): \(story)")
        }
    }
}
