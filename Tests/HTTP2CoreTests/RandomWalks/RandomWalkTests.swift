import Glibc
import TestSupport
import Testing

@Suite("Random walks against libnghttp2's server")
struct RandomWalkTests {
    /// `FANFARE_HTTP2_SEED` repeats one walk, `FANFARE_HTTP2_WALKS` says how many there are, `FANFARE_HTTP2_STEPS` how
    /// long each is.
    private static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    @Test(
        "every request arrives intact, ends exactly once and as the server's frames say, within all limits",
        arguments: [false, true])
    func walks(drawsForms: Bool) throws {
        let steps = RandomWalkTests.number("FANFARE_HTTP2_STEPS") ?? 3_000
        let seeds: [UInt64]
        if let seed = RandomWalkTests.number("FANFARE_HTTP2_SEED") {
            seeds = [seed]
        } else {
            var random = TestSeed.generator()
            seeds = (0..<(RandomWalkTests.number("FANFARE_HTTP2_WALKS") ?? 24)).map { _ in
                .random(in: 0...(1 << 48), using: &random)
            }
        }
        var ended = 0
        for seed in seeds {
            let walk = try RandomWalk(seed: seed, drawsForms: drawsForms)
            for _ in 0..<steps where walk.failures.isEmpty { try walk.step() }
            if walk.failures.isEmpty {
                walk.finish()
                walk.check()
            }
            ended += walk.client.outcomes.count
            #expect(walk.failures.isEmpty, "FANFARE_HTTP2_SEED=\(seed): \(walk.failures.prefix(3))")
        }
        #expect(ended > seeds.count, "the walks have done nothing")
    }
}
