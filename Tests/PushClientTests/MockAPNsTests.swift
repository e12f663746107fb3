import APNs
import APNsCore
import Delivery
import MockAPNs
import PushClient
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Against the mock APNs") struct MockAPNsTests {
        /// Accepted outcomes and the mock's 200s name the same pushes, each once, and no rule of HTTP/2 was broken.
        private func expectAgreement(_ recorder: OutcomeRecorder, _ stage: MockStage) {
            #expect(recorder.wrongTags().isEmpty)
            let accepted = stage.acceptedTags()
            let isOnce = accepted.values.allSatisfy { $0 == 1 }
            #expect(isOnce)
            let isSame = Set(accepted.keys) == recorder.accepted
            #expect(isSame)
            expectManners(stage)
        }

        private func expectManners(_ stage: MockStage) {
            let counts = stage.mock.counts()
            #expect(counts.streamLimitViolations == 0)
            #expect(counts.protocolErrors == 0)
        }

        @Test("Twenty thousand pushes pass all checks of the provider, each exactly once")
        func allOnce() async throws {
            let stage = try MockStage()
            let recorder = try await stage.run(20_000)
            #expect(recorder.accepted.count == 20_000)
            #expect(stage.mock.counts().pushes == 20_000)
            expectAgreement(recorder, stage)
            await stage.close()
        }

        @Test("Latency is hidden by many streams")
        func latency() async throws {
            var script = MockScript()
            script.latency = .uniform(.milliseconds(20), .milliseconds(60))
            let stage = try MockStage(script: script)
            let recorder = try await stage.run(10_000)
            #expect(recorder.accepted.count == 10_000)
            expectAgreement(recorder, stage)
            await stage.close()
        }

        @Test(
            "GOAWAY under load, with streams unprocessed, loses nothing and sends nothing twice",
            arguments: [
                MockScript.GoAway.LastStream.current, .minus(1), .minus(40), .maximum,
            ])
        func goAway(_ lastStream: MockScript.GoAway.LastStream) async throws {
            var script = MockScript()
            script.goAway = .init(afterStreams: 1_500, lastStream: lastStream)
            let stage = try MockStage(script: script, change: { $0.maximumConnections = 2 })
            let recorder = try await stage.run(15_000)
            #expect(recorder.accepted.count == 15_000)
            #expect(stage.mock.counts().goAwaysSent >= 4)
            if case .minus = lastStream { #expect(stage.mock.counts().unprocessed > 0) }
            expectAgreement(recorder, stage)
            await stage.close()
        }

        @Test("One stream before the first answer, one after each rejection, many in between")
        func streamLimits() async throws {
            var script = MockScript()
            script.streamLimit = .init(beforeFirstValidPush: 1, afterRejection: 1)
            script.rules = [
                .init(.init(every: 500), .answer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_000))
            ]
            let stage = try MockStage(script: script, change: { $0.maximumConnections = 3 })
            let recorder = try await stage.run(10_000)
            let dead = recorder.tags {
                $0 == .rejected(Rejection(status: 410, reason: .unregistered, unregisteredSince: 1_700_000_000_000))
            }
            #expect(dead.count == 20)
            #expect(recorder.accepted.count == 9_980)
            expectAgreement(recorder, stage)
            await stage.close()
        }

        @Test("Tiny windows of the server slow pushes down and break none")
        func tinyWindows() async throws {
            let stage = try MockStage(
                mockOptions: {
                    $0.initialWindowSize = 20; $0.connectionWindowSize = 65_535
                })
            let recorder = try await stage.run(500)
            #expect(recorder.accepted.count == 500)
            expectAgreement(recorder, stage)
            await stage.close()
        }

        @Test("A credential that the provider does not know is told as such for each push")
        func badCredential() async throws {
            let stage = try MockStage(credential: {
                ProviderCredential(
                    keyFile: $0.keyFile, keyIdentifier: "OTHERKEY00", teamIdentifier: $0.teamIdentifier)
            })
            let recorder = try await stage.run(5)
            let refused = recorder.tags {
                if case .rejected(let rejection) = $0 { rejection.trouble?.kind == .credential } else { false }
            }
            #expect(refused.count == 5)
            expectManners(stage)
            await stage.close()
        }

        @Test("Attempts that are reset or never finish TLS give way to one that works")
        func admission() async throws {
            var script = MockScript()
            script.connections = .init(.reset, for: .milliseconds(300))
            let stage = try MockStage(script: script)
            let recorder = try await stage.run(10)
            #expect(recorder.accepted.count == 10)
            expectAgreement(recorder, stage)
            await stage.close()
        }

        @Test("Random faults leave exact counts", arguments: [11, 12, 13] as [UInt64])
        func walk(_ seed: UInt64) async throws {
            var script = MockScript()
            script.latency = .uniform(.zero, .milliseconds(5))
            script.goAway = .init(afterStreams: 700, lastStream: .minus(Int(seed % 30)), reason: "Shutdown")
            script.streamLimit = .init(beforeFirstValidPush: 1, afterRejection: UInt32(seed % 5 + 1))
            script.rules = [
                .init(.init(share: 0.01), .reset(code: 7)),
                .init(.init(share: 0.002), .reset(code: 2)),
                .init(.init(share: 0.002), .answer(status: 429, reason: "TooManyRequests", retryAfter: 3)),
                .init(.init(share: 0.001), .silence),
                .init(.init(share: 0.0004), .close(abruptly: seed % 2 == 0)),
            ]
            let stage = try MockStage(
                script: script, mockOptions: { $0.seed = seed },
                change: {
                    $0.maximumConnections = 3
                    $0.pushDeadline = .seconds(1)
                })
            let recorder = try await stage.run(8_000)
            #expect(recorder.wrongTags().isEmpty, "seed \(seed)")
            let accepted = stage.acceptedTags()
            let isOnce = accepted.values.allSatisfy { $0 == 1 }
            #expect(isOnce, "seed \(seed): accepted twice")
            #expect(recorder.accepted.isSubset(of: accepted.keys), "seed \(seed): accepted without a 200")
            let unknown = recorder.unsent(mayHaveBeenDelivered: true)
            let isExplained = Set(accepted.keys).subtracting(recorder.accepted).isSubset(of: unknown)
            #expect(isExplained, "seed \(seed): a 200 that is neither accepted nor unknown")
            #expect(recorder.accepted.count > 100, "seed \(seed): \(recorder.summary)")
            expectManners(stage)
            await stage.close()
        }
    }
}
