import Delivery
import PushClient
import TestProvider
import TestSupport
import Testing
import TimeCore

extension PushClientTests {
    /// Random faults under load, with exact counts. A failure prints its seed, which repeats the provider's faults.
    @Suite("Random faults") struct FaultWalkTests {
        /// Returns the provider's action for one request, determined by seed and number.
        private static func fault(_ seed: UInt64, _ count: Int, losesAnswers: Bool) -> TestProvider.Answer {
            var generator = SeededGenerator(seed: seed &+ UInt64(count) &* 0x1_0001)
            let roll = Int.random(in: 0..<10_000, using: &generator)
            switch roll {
            case 0..<200: return .reset(7)
            case 200..<260: return .reset(2)
            case 260..<300: return .status(410, body: #"{"reason":"Unregistered","timestamp":1700000000000}"#)
            case 300..<330: return .status(429, body: #"{"reason":"TooManyRequests"}"#, retryAfter: 1)
            case 330..<350: return .status(503, body: #"{"reason":"Shutdown"}"#)
            case 350..<353: return .status(400, body: #"{"reason":"IdleTimeout"}"#)
            case 353..<357: return .goAway(inclusive: true)
            case 357..<361: return .goAway(inclusive: false)
            case 361..<371: return .settings(UInt32.random(in: 1...5, using: &generator))
            case 371..<400: return .settings(UInt32.random(in: 100...1_000, using: &generator))
            case 400..<410: return .silence
            case 410..<414 where losesAnswers: return .closeAbruptly
            default: return .accept
            }
        }

        private func walk(_ seed: UInt64, losesAnswers: Bool) async throws {
            let total = 8_000
            let stage = try Stage(limit: UInt32(seed % 3 == 0 ? 1 : 200)) {
                $0.maximumConnections = Int(seed % 4) + 1
                $0.pushDeadline = .milliseconds(800)
                $0.queueLimit = 300
            }
            stage.provider.script = { count, _, _ in FaultWalkTests.fault(seed, count, losesAnswers: losesAnswers) }
            let recorder = try await stage.run(total)
            #expect(recorder.wrongTags().isEmpty, "seed \(seed)")
            let ledger = stage.ledgerAccepted()
            let accepted = Set(recorder.accepted.map(OutcomeRecorder.path))
            let isOnce = ledger.values.allSatisfy { $0 == 1 }
            #expect(isOnce, "seed \(seed): a push was accepted twice")
            let isCovered = accepted.isSubset(of: ledger.keys)
            #expect(isCovered, "seed \(seed): accepted without the provider's 200")
            let unknown = recorder.unsent(mayHaveBeenDelivered: true)
            let isExplained = Set(ledger.keys).subtracting(accepted).isSubset(of: unknown.map(OutcomeRecorder.path))
            #expect(isExplained, "seed \(seed): a 200 that is neither accepted nor unknown")
            // Pushes reported as undelivered never reached processing.
            let seen = Set(stage.provider.ledger.map(\.path))
            let undelivered = recorder.unsent(mayHaveBeenDelivered: false)
            let isTrue = seen.isDisjoint(with: undelivered.map(OutcomeRecorder.path))
            #expect(isTrue, "seed \(seed): delivered, though said not to be")
            #expect(recorder.accepted.count > total / 2, "seed \(seed)")
            let counts = await stage.client.snapshot().counts
            #expect(counts.accepted + counts.rejected + counts.unsent == UInt64(total), "seed \(seed)")
            await stage.close()
        }

        @Test(
            "Every push has one outcome, and what is accepted is what the provider took",
            arguments: [1, 2, 3])
        func orderly(_ seed: UInt64) async throws { try await walk(seed, losesAnswers: false) }

        @Test("So too when connections break and answers are lost", arguments: [5, 6, 7])
        func broken(_ seed: UInt64) async throws { try await walk(seed, losesAnswers: true) }
    }
}
