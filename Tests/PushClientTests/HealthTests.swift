import APNsCore
import Delivery
import PushClient
import Reactor
import Synchronization
import TLS
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    /// A provider in trouble, and a caller that repeats pushes that have not reached it, as a broadcast does.
    @Suite("A provider in trouble") struct HealthTests {
        private static let unavailable = TestProvider.Answer.status(503, body: #"{"reason":"ServiceUnavailable"}"#)

        /// The number of times that each push came to the provider.
        private func requests(_ stage: Stage) -> [String: Int] {
            stage.provider.ledger.reduce(into: [:]) { $0[$1.path, default: 0] += 1 }
        }

        @Test("An outage costs nobody the push and at most three requests a device, and all goes on by itself")
        func outage() async throws {
            let stage = try Stage {
                $0.initialBackoff = .milliseconds(100); $0.maximumBackoff = .seconds(30)
            }
            #expect(try await stage.run(10, firstTag: 90_000).accepted.count == 10)
            let isOver = Mutex(false)
            stage.provider.script = { _, _, _ in isOver.withLock { $0 } ? .accept : Self.unavailable }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 200, repeatsFailed: true)
            recorder.start()
            #expect(await stage.pauseReason()?.name == "ServiceUnavailable")
            // Some probes fail; the pauses between them grow.
            #expect(await eventually { await stage.client.snapshot().counts.probes >= 6 })
            #expect(await stage.client.snapshot().room <= 1)
            // The first ten, what their answers had earned of streams, what took the place of those that led to the
            // pause, and single pushes.
            let requests = stage.provider.requests
            #expect(requests <= 10 + 46 + 20 + Int(await stage.client.snapshot().counts.probes))
            isOver.withLock { $0 = true }
            await recorder.waitForSuccesses(200)
            #expect(await eventually { await stage.client.snapshot().health == .healthy })
            #expect(self.requests(stage).values.allSatisfy { $0 <= 3 + 6 })
            #expect(stage.provider.requests <= 3 * 200)
            await stage.close()
        }

        @Test("Retry-After of the provider is waited for")
        func retryAfter() async throws {
            let stage = try Stage()
            stage.provider.script = { count, _, _ in
                count <= 3 ? .status(503, body: #"{"reason":"ServiceUnavailable"}"#, retryAfter: 1) : .accept
            }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 3, repeatsFailed: true)
            recorder.start()
            _ = await stage.pauseReason()
            let paused = MonotonicTime.now()
            await recorder.waitForSuccesses(3)
            #expect(MonotonicTime.now() - paused >= .milliseconds(800))
            await stage.close()
        }

        @Test(
            "A provider that sends every connection away is called less and less often",
            arguments: [(403, "UnrelatedKeyIdInToken"), (400, "IdleTimeout")])
        func connectionsSentAway(_ status: Int, _ reason: String) async throws {
            let stage = try Stage {
                $0.initialBackoff = .milliseconds(10)
                $0.maximumBackoff = .milliseconds(50)
            }
            let isOver = Mutex(false)
            stage.provider.script = { _, _, _ in
                isOver.withLock { $0 } ? .accept : .status(status, body: #"{"reason":"\#(reason)"}"#)
            }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 200, repeatsFailed: true)
            recorder.start()
            let pause = try #require(await stage.pauseReason())
            #expect(pause.kind == .refused && pause.name == reason)
            let connections = stage.provider.connectionsAccepted
            #expect(connections >= 20, "one connection that is sent away is no reason to pause")
            #expect(await eventually { await stage.client.snapshot().counts.probes >= 3 })
            // The connections that existed before, and one for each probe.
            let probes = Int(await stage.client.snapshot().counts.probes)
            #expect(stage.provider.connectionsAccepted <= connections + probes + 2)
            isOver.withLock { $0 = true }
            await recorder.waitForSuccesses(200)
            #expect(await eventually { await stage.client.snapshot().health == .healthy })
            await stage.close()
        }

        /// Pushes until a connection was ejected: the sick one may be up when nearly all of a round is sent by the
        /// others.
        private func untilEjected(_ stage: Stage, _ round: () async throws -> Void) async throws {
            for _ in 0..<20 where await stage.client.snapshot().counts.connectionsEjected == 0 { try await round() }
        }

        @Test(
            "One sick connection of four costs nobody anything, and is replaced",
            arguments: [
                TestProvider.Answer.status(500, body: #"{"reason":"InternalServerError"}"#),
                .status(429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#),
            ])
        func sickConnection(_ answer: TestProvider.Answer) async throws {
            let stage = try Stage(limit: 100) { $0.maximumConnections = 4 }
            stage.provider.script = { _, connection, _ in connection == 2 ? answer : .accept }
            try await untilEjected(stage) {
                let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 4_000, repeatsFailed: true)
                recorder.start()
                await recorder.waitForSuccesses(4_000)
                #expect(recorder.count - 4_000 <= 100, "more than one connection's streams failed")
            }
            let snapshot = await stage.client.snapshot()
            #expect(snapshot.health == .healthy && snapshot.counts.probes == 0)
            #expect(snapshot.counts.connectionsEjected == 1)
            #expect(stage.provider.connectionsAccepted >= 5)
            await stage.close()
        }

        @Test(
            "A connection that rejects whatever it is given costs nobody anything, and is replaced",
            arguments: [#"{"reason":"BadDeviceToken"}"#, #"{"reason":"BadPriority"}"#, ""])
        func rejectingConnection(_ body: String) async throws {
            let stage = try Stage(limit: 100) { $0.maximumConnections = 4 }
            let bad = OutcomeRecorder.path(7)
            stage.provider.script = { _, connection, path in
                connection == 2 || path == bad ? .status(400, body: body) : .accept
            }
            try await untilEjected(stage) {
                let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 4_000)
                await recorder.run()
                let rejected = recorder.tags { if case .rejected = $0 { true } else { false } }
                #expect(rejected == [7], "\(recorder.summary)")
                // The caller repeats pushes that the same connection has rejected twice.
                #expect(recorder.accepted.count >= 3_900)
            }
            #expect(await stage.client.snapshot().counts.connectionsEjected == 1)
            await stage.close()
        }

        @Test("A connection that resets its streams costs no more than those that are open on it, and is replaced")
        func resettingConnection() async throws {
            let stage = try Stage(limit: 100) { $0.maximumConnections = 4 }
            // INTERNAL_ERROR (RFC 9113, section 7).
            stage.provider.script = { _, connection, _ in connection == 2 ? .reset(2) : .accept }
            try await untilEjected(stage) {
                let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 4_000)
                await recorder.run()
                #expect(recorder.accepted.count >= 3_900, "\(recorder.summary)")
            }
            let snapshot = await stage.client.snapshot()
            #expect(snapshot.health == .healthy && snapshot.counts.connectionsEjected == 1)
            await stage.close()
        }

        @Test("A rejection that two connections agree on is believed, and sent no third time")
        func secondOpinion() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            stage.provider.script = { _, _, _ in .status(400, body: #"{"reason":"BadDeviceToken"}"#) }
            let recorder = try await stage.run(1)
            #expect(recorder.outcomes[0] == [.rejected(Rejection(status: 400, reason: .badDeviceToken))])
            #expect(Set(stage.provider.ledger.map(\.connection)).count == 2 && stage.provider.requests == 2)
            #expect(try await stage.run(1).accepted.isEmpty && stage.provider.requests == 3)
            await stage.close()
        }

        @Test("Of a provider that fails a share of the pushes less is asked at a time, until it serves all again")
        func slowDown() async throws {
            let stage = try Stage(limit: 400) { $0.maximumConnections = 1 }
            let client = stage.client
            func earned() async -> Int {
                await withCheckedContinuation { continuation in
                    client.reactor.execute { continuation.resume(returning: client.earnedStreams(ofEach: 400)) }
                }
            }
            #expect(try await stage.run(2_000).accepted.count == 2_000)
            #expect(await earned() == 400)
            // Never two in a row, from which a connection knows by itself: without a body none is written behind the
            // others.
            stage.provider.script = { count, _, _ in count % 5 == 0 ? .status(503, body: "") : .accept }
            #expect(try await stage.run(400, firstTag: 10_000).accepted.count == 320)
            #expect(await earned() <= 200)
            stage.provider.script = { _, _, _ in .accept }
            #expect(try await stage.run(8_000, firstTag: 20_000).accepted.count == 8_000)
            #expect(await earned() == 400)
            await stage.close()
        }

        @Test(
            "Where the only connection leads to a server that serves nobody, another one is tried",
            arguments: [
                TestProvider.Answer.reset(7), .status(503, body: #"{"reason":"ServiceUnavailable"}"#),
            ])
        func sickFromBirth(_ answer: TestProvider.Answer) async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            stage.provider.script = { _, connection, _ in connection == 1 ? answer : .accept }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 200, repeatsFailed: true)
            recorder.start()
            await recorder.waitForSuccesses(200)
            #expect(await stage.client.snapshot().health == .healthy)
            await stage.close()
        }

        @Test("GOAWAY on all idle connections, and on their successors, holds up the next pushes by one attempt")
        func goAwayOnIdle() async throws {
            let stage = try Stage(limit: 20) {
                $0.initialBackoff = .milliseconds(500); $0.maximumBackoff = .seconds(30)
            }
            func ready() async -> Int { await stage.client.snapshot().connections.count { $0.state == .ready } }
            #expect(try await stage.run(3_000).accepted.count == 3_000)
            #expect(await eventually { await ready() >= 8 })
            // Each of them has answered something, also one that was opened late.
            #expect(try await stage.run(800, firstTag: 5_000).accepted.count == 800)
            // Connections that have answered are replaced at once. Their successors are replaced one at a time if the
            // server ends them too.
            for (failures, successors) in [8, 8, 1].enumerated() {
                #expect(await eventually { await ready() >= successors })
                let heard = await stage.client.snapshot().goAways.reduce(0, +)
                stage.provider.forEachConnection { $0.goAway() }
                let goneAway = heard + UInt64(successors)
                #expect(await eventually { await stage.client.snapshot().goAways.reduce(0, +) >= goneAway })
                // All that are lost at once are one failure, and of those that have answered it is none.
                #expect(await stage.client.snapshot().failures <= failures)
            }
            let before = await stage.client.snapshot().counts
            #expect(try await stage.run(20, firstTag: 10_000).accepted.count == 20)
            // The connection that follows the wait serves: there is no second one.
            let counts = await stage.client.snapshot().counts
            #expect(counts.attemptsFailed == 0 && counts.connectionsLost == before.connectionsLost)
            await stage.close()
        }

        @Test("A server that refuses every stream is asked little, says why, and loses nobody")
        func refused() async throws {
            let stage = try Stage()
            let isOver = Mutex(false)
            stage.provider.script = { _, _, _ in isOver.withLock { $0 } ? .accept : .reset(7) }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 2_000, repeatsFailed: true)
            recorder.start()
            #expect(await stage.pauseReason() == .some(PauseReason.refusedByAll))
            #expect(await eventually { await stage.client.snapshot().counts.probes >= 5 })
            #expect(stage.provider.requests <= 600)
            isOver.withLock { $0 = true }
            await recorder.waitForSuccesses(2_000)
            #expect(stage.provider.requests <= 3 * 2_000)
            await stage.close()
        }

        @Test("A provider that accepts and never answers gets few pushes, and the client says so")
        func neverAnswers() async throws {
            let stage = try Stage {
                $0.pushDeadline = .milliseconds(500); $0.maximumConnections = 2
            }
            stage.provider.script = { _, _, _ in .silence }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 1_000, repeatsFailed: true)
            recorder.start()
            #expect(await stage.pauseReason()?.kind == .noAnswer)
            #expect(stage.provider.requests <= 2 * 16)
            stage.provider.script = { _, _, _ in .accept }
            // All others are accepted.
            await recorder.waitForSuccesses(1_000 - 3 * 16)
            #expect(recorder.unsent(mayHaveBeenDelivered: true).count <= 3 * 16)
            await stage.close()
        }

        @Test("Devices that a provider never answers for pause nothing while it answers for others")
        func silentDevices() async throws {
            let stage = try Stage {
                $0.pushDeadline = .milliseconds(1_500); $0.maximumConnections = 2
            }
            stage.provider.script = { _, _, _ in .silence }
            let silent = OutcomeRecorder(stage.client, try Stage.template(), total: 6)
            silent.start()
            #expect(await eventually { stage.provider.requests == 6 })
            stage.provider.script = { _, _, _ in .accept }
            #expect(try await stage.run(20, firstTag: 10).accepted.count == 20)
            // More than a second after the last answer.
            await silent.waitForOutcomes(6)
            #expect(silent.unsent(mayHaveBeenDelivered: true).count == 6)
            let snapshot = await stage.client.snapshot()
            #expect(!snapshot.health.isPaused && snapshot.counts.probes == 0)
            await stage.close()
        }

        @Test("Eight addresses that swallow packets hold up the first connection by the delay of eight attempts")
        func swallowingAddresses() async throws {
            let provider = try TestProvider()
            var addresses: [SocketAddress] = []
            var holes: [BlackHole] = []
            for number in 1...8 {
                let hole = try BlackHole(host: "127.0.7.\(number)")
                holes.append(hole)
                addresses.append(hole.address)
            }
            addresses.append(try #require(SocketAddress(numericHost: "127.0.0.1", port: provider.port)))
            let stage = try Stage(port: provider.port) {
                $0.addresses = addresses; $0.attemptDelay = .milliseconds(20); $0.connectTimeout = .seconds(30)
            }
            // Thirty seconds an address would be four minutes; nothing is waited for but the delays.
            #expect(try await stage.run(1).accepted.count == 1)
            #expect(await stage.client.snapshot().counts.attemptsFailed == 0)
            // The client remembers the silent addresses.
            #expect(try await stage.run(100, firstTag: 10).accepted.count == 100)
            #expect(holes.count == 8)
            await stage.close()
            await provider.stop()
        }

        @Test("A provider that allows no stream is paused, and goes on over new connections as soon as one allows some")
        func noStreams() async throws {
            let stage = try Stage()
            #expect(try await stage.run(1, firstTag: 9_000).accepted.count == 1)
            stage.provider.initialLimit = 0
            stage.provider.forEachConnection { $0.setLimit(0) }
            #expect(await eventually { await stage.client.snapshot().room == 0 })
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 20)
            recorder.start()
            #expect(await stage.pauseReason()?.kind == .noConnection)
            // Open connections never get the new limit.
            stage.provider.initialLimit = 1_000
            await recorder.waitForOutcomes(20)
            #expect(recorder.accepted.count == 20)
            #expect(await eventually { await stage.client.snapshot().health == .healthy })
            await stage.close()
        }

        @Test("What has no stream when its time is over is not sent")
        func notAfter() async throws {
            let stage = try Stage()
            #expect(try await stage.run(1, firstTag: 9_000).accepted.count == 1)
            let template = try Stage.template()
            template.notAfter = MonotonicTime.now()
            let recorder = OutcomeRecorder(stage.client, template, total: 50)
            await recorder.run()
            #expect(recorder.tags { $0 == .unsent(.expired, mayHaveBeenDelivered: false) }.count == 50)
            #expect(stage.provider.requests == 1)
            await stage.close()
        }

        @Test("A token of another app blames the topic before a push for the topic is accepted, and itself afterwards")
        func tokenOfAnotherApp() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let isWrong = Mutex(true)
            let foreign = OutcomeRecorder.path(3)
            stage.provider.script = { _, _, path in
                isWrong.withLock { $0 } || path == foreign
                    ? .status(400, body: #"{"reason":"DeviceTokenNotForTopic"}"#) : .accept
            }
            let first = OutcomeRecorder(
                stage.client, try Stage.template(), total: 20, firstTag: 100, repeatsFailed: true)
            first.start()
            let pause = try #require(await stage.pauseReason())
            #expect(pause.kind == .topic && pause.name == "DeviceTokenNotForTopic")
            isWrong.withLock { $0 = false }
            await first.waitForSuccesses(20)
            #expect(await eventually { await stage.client.snapshot().health == .healthy })
            let probes = await stage.client.snapshot().counts.probes
            let second = try await stage.run(20)
            #expect(second.accepted.count == 19)
            guard case .rejected(let rejection)? = second.outcomes[3]?.first else {
                Issue.record("\(second.summary)")
                return
            }
            #expect(rejection.classification.verdict == .addressRefused && rejection.trouble == nil)
            let snapshot = await stage.client.snapshot()
            #expect(snapshot.health == .healthy && snapshot.counts.probes == probes)
            await stage.close()
        }

        @Test("The listeners hear of a pause and of its end")
        func listeners() async throws {
            let stage = try Stage()
            let heard = Mutex<[ProviderHealth]>([])
            let listener = HealthListener(stage.client) { health in heard.withLock { $0.append(health) } }
            stage.client.reactor.execute { stage.client.add(listener) }
            stage.provider.script = { count, _, _ in count <= 4 ? Self.unavailable : .accept }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 3, repeatsFailed: true)
            recorder.start()
            await recorder.waitForSuccesses(3)
            #expect(await eventually { heard.withLock { $0.last == .healthy } })
            #expect(heard.withLock { $0.first?.isPaused } == true)
            await stage.close()
        }

        @Test("A credential is tried with the token of 64 zeros: an answer about the token is a good one")
        func credentialProbe() async throws {
            let stage = try Stage()
            let zeros = "/3/device/" + String(repeating: "0", count: 64)
            stage.provider.script = { _, _, path in
                path == zeros ? .status(400, body: #"{"reason":"BadDeviceToken"}"#) : .accept
            }
            #expect(await stage.client.probeCredential(try Stage.probe()) == .good)
            #expect(stage.provider.ledger.map(\.path) == [zeros])
            #expect(await stage.client.snapshot().health == .healthy)
            #expect(await stage.client.snapshot().counts.rejected == 0, "nobody's pushes are not counted")
            await stage.close()
        }

        @Test("A refused credential pauses the client, which goes on by itself when it is taken")
        func refusedCredential() async throws {
            let stage = try Stage()
            let isGood = Mutex(false)
            stage.provider.script = { _, _, _ in
                isGood.withLock { $0 } ? .accept : .status(403, body: #"{"reason":"InvalidProviderToken"}"#)
            }
            #expect(await stage.client.probeCredential(try Stage.probe()) == .refused(reason: "InvalidProviderToken"))
            #expect(await stage.pauseReason()?.kind == .credential)
            isGood.withLock { $0 = true }
            // Without pushes the client probes with one of its own.
            #expect(await eventually { await stage.client.snapshot().health == .healthy })
            await stage.close()
        }

        @Test("A shutdown does not wait for the verdict about the credential", arguments: [false, true])
        func shutdownWhileProbing(isReachable: Bool) async throws {
            let down = try TestProvider()
            await down.stop()
            let stage = isReachable ? try Stage() : try Stage(port: down.port)
            stage.provider.script = { _, _, _ in .silence }
            let probe = try Stage.probe()
            async let verdict = stage.client.probeCredential(probe)
            #expect(
                await eventually {
                    let snapshot = await stage.client.snapshot()
                    return isReachable ? stage.provider.requests == 1 : snapshot.waiting == 1
                })
            await stage.client.shutdown(deadline: .seconds(3600))
            #expect(await verdict == .shutDown)
            await stage.provider.stop()
            stage.reactor.stop()
        }

        @Test("Without a connection the credential's verdict says so")
        func unreachable() async throws {
            let down = try TestProvider()
            await down.stop()
            let stage = try Stage(port: down.port) { $0.pushDeadline = .milliseconds(300) }
            let verdict = await stage.client.probeCredential(try Stage.probe())
            guard case .noConnection(let text) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(text.contains("refused"))
            await stage.close()
        }
    }
}

extension PauseReason {
    static let refusedByAll = PauseReason(kind: .refused, name: "Refused", text: "the provider refuses every stream")
}

private final class HealthListener: RoomListener, Sendable {
    private let client: PushClient
    private let heard: @Sendable (ProviderHealth) -> Void

    init(_ client: PushClient, _ heard: @escaping @Sendable (ProviderHealth) -> Void) {
        self.client = client
        self.heard = heard
    }

    func roomGrew() {}
    var pushesWaiting: Int { 0 }
    func healthChanged() { heard(client.health) }
}
