import Delivery
import PushClient
import Reactor
import Synchronization
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Faults of the provider") struct FaultTests {
        /// Accepted outcomes and the provider's 200s name the same pushes, each once.
        private func expectAgreement(_ recorder: OutcomeRecorder, _ stage: Stage, _ total: Int) {
            #expect(recorder.wrongTags(total).isEmpty)
            let ledger = stage.ledgerAccepted()
            let isOnce = ledger.values.allSatisfy { $0 == 1 }
            #expect(isOnce)
            let isSame = Set(ledger.keys) == Set(recorder.accepted.map(OutcomeRecorder.path))
            #expect(isSame)
        }

        @Test("A GOAWAY in the middle of the load loses nothing and sends nothing twice", arguments: [true, false])
        func goAway(inclusive: Bool) async throws {
            let stage = try Stage { $0.maximumConnections = 2 }
            stage.provider.script = { count, _, _ in count % 2_500 == 0 ? .goAway(inclusive: inclusive) : .accept }
            let recorder = try await stage.run(20_000)
            #expect(recorder.accepted.count == 20_000)
            #expect(stage.provider.connectionsAccepted >= 8)
            expectAgreement(recorder, stage, 20_000)
            await stage.close()
        }

        @Test("A provider that ends each connection after one answer gets all pushes, without a failure or a pause")
        func orderlyEnds() async throws {
            let events = Mutex<[PushClientEvent]>([])
            let stage = try Stage { $0.initialBackoff = .seconds(30) }
            await stage.client.reactor.call(stopped: ()) { done in
                stage.client.onEvent = { event in events.withLock { $0.append(event) } }
                done(())
            }
            stage.provider.script = { _, _, _ in .farewell }
            let recorder = try await stage.run(2_000)
            #expect(recorder.accepted.count == 2_000, "\(recorder.summary)")
            #expect(stage.provider.connectionsAccepted >= 2_000)
            expectAgreement(recorder, stage, 2_000)
            let snapshot = await stage.client.snapshot()
            #expect(snapshot.counts.connectionsLost == 0 && snapshot.counts.unsent == 0)
            for event in events.withLock({ $0 }) {
                switch event {
                case .connectionLost, .failing, .paused: Issue.record("\(event)")
                default: break
                }
            }
            await stage.close()
        }

        @Test("A repeated GOAWAY is one event")
        func repeatedGoAway() async throws {
            let events = Mutex(0)
            let stage = try Stage { $0.maximumConnections = 1 }
            await stage.client.reactor.call(stopped: ()) { done in
                stage.client.onEvent = { event in
                    if case .goAway = event { events.withLock { $0 += 1 } }
                }
                done(())
            }
            stage.provider.script = { _, _, _ in .silence }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 1)
            recorder.start()
            #expect(await eventually { stage.provider.requests == 1 })
            stage.provider.forEachConnection { connection in
                for _ in 0..<5 { connection.goAway() }
            }
            #expect(await eventually { await stage.client.snapshot().goAways.reduce(0, +) == 5 })
            #expect(events.withLock { $0 } == 1)
            await stage.close()
        }

        @Test("Refused streams are sent again free of charge")
        func refused() async throws {
            let stage = try Stage()
            stage.provider.script = { count, _, _ in count % 3 == 0 ? .reset(7) : .accept }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 5_000, repeatsFailed: true)
            recorder.start()
            await recorder.waitForSuccesses(5_000)
            let counts = await stage.client.snapshot().counts
            #expect(counts.requeued > 1_000 && counts.unsent < 500)
            let ledger = stage.ledgerAccepted()
            #expect(ledger.count == 5_000 && ledger.values.allSatisfy { $0 == 1 })
            await stage.close()
        }

        @Test("Devices whose streams are always refused hold up nobody, and come back to the caller")
        func alwaysRefused() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let bad = Set((500..<510).map { OutcomeRecorder.path($0) })
            stage.provider.script = { _, _, path in bad.contains(path) ? .reset(7) : .accept }
            let recorder = try await stage.run(1_000)
            #expect(recorder.accepted.count == 990)
            let refused = recorder.tags { $0 == .unsent(.refusedTooOften, mayHaveBeenDelivered: false) }
            #expect(refused == Set(500..<510))
            // They are suspects now.
            let more = try await stage.run(20, firstTag: 495)
            #expect(more.accepted.count == 10 && stage.provider.connectionsAccepted == 2)
            #expect(await stage.client.snapshot().health == .healthy)
            await stage.close()
        }

        @Test("Another reset ends the push with its outcome unknown")
        func reset() async throws {
            let stage = try Stage()
            stage.provider.script = { count, _, _ in count % 10 == 0 ? .reset(2) : .accept }
            let recorder = try await stage.run(1_000)
            #expect(recorder.tags { $0 == .unsent(.streamReset(2), mayHaveBeenDelivered: true) }.count == 100)
            expectAgreement(recorder, stage, 1_000)
            await stage.close()
        }

        @Test("The stream limit is one first, then more, and shrinks and grows under load")
        func settings() async throws {
            let stage = try Stage(limit: 1) { $0.maximumConnections = 2 }
            let mostOpen = Mutex(0)
            stage.provider.script = { count, _, _ in
                switch count {
                case 1: .settings(300)
                case 3_000: .settings(1)
                case 3_200: .settings(50)
                case 6_000: .settings(0)
                case _ where count % 1_000 == 0: .settings(UInt32(count % 7 * 40 + 1))
                default: .accept
                }
            }
            let provider = stage.provider
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 12_000)
            recorder.start()
            // A limit of zero stops a connection; it goes on when the limit is raised.
            while recorder.count < 12_000 {
                _ = await eventually(0.05) { recorder.count == 12_000 }
                provider.forEachConnection { $0.setLimit(20) }
                mostOpen.withLock { $0 += 1 }
            }
            #expect(recorder.accepted.count == 12_000)
            #expect(await stage.client.snapshot().counts.unsent == 0)
            expectAgreement(recorder, stage, 12_000)
            await stage.close()
        }

        @Test("A server without a stream limit is used")
        func noLimit() async throws {
            let stage = try Stage(limit: nil)
            let recorder = try await stage.run(3_000)
            #expect(recorder.accepted.count == 3_000)
            await stage.close()
        }

        @Test("Silence ends in a timeout whose outcome is unknown, and the connection is replaced")
        func silence() async throws {
            let stage = try Stage {
                $0.pushDeadline = .seconds(1); $0.maximumConnections = 1; $0.initialStreams = 100
            }
            stage.provider.script = { _, connection, _ in connection == 1 ? .silence : .accept }
            let recorder = try await stage.run(100)
            #expect(recorder.tags { $0 == .unsent(.timedOut, mayHaveBeenDelivered: true) }.count == 100)
            #expect(await eventually { stage.provider.connectionsAccepted == 2 })
            let more = try await stage.run(100, firstTag: 1_000)
            #expect(more.accepted.count == 100)
            await stage.close()
        }

        @Test("An answer whose body never comes counts by its status, at the deadline")
        func statusAlone() async throws {
            let stage = try Stage { $0.pushDeadline = .milliseconds(500) }
            stage.provider.script = { count, _, _ in .statusAlone(count % 2 == 0 ? 200 : 503) }
            let recorder = try await stage.run(6)
            #expect(recorder.accepted.count == 3, "\(recorder.summary)")
            let refused = recorder.tags {
                if case .rejected(let rejection) = $0 { rejection.status == 503 } else { false }
            }
            #expect(refused.count == 3)
            await stage.close()
        }

        @Test("An answer whose body has not come counts by its status when the connection breaks")
        func statusAloneThenLoss() async throws {
            let stage = try Stage()
            stage.provider.script = { count, _, _ in count <= 2 ? .statusAlone(200) : .accept }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 2)
            recorder.start()
            #expect(await eventually { stage.provider.requests == 2 })
            // Whose answer comes behind what there is of the others'.
            #expect(try await stage.run(1, firstTag: 10).accepted.count == 1)
            stage.provider.forEachConnection { $0.close() }
            await recorder.waitForOutcomes(2)
            #expect(recorder.accepted.count == 2)
            await stage.close()
        }

        @Test("A connection that breaks leaves its pushes unknown, and the pool recovers")
        func abruptClose() async throws {
            let stage = try Stage { $0.maximumConnections = 2 }
            stage.provider.script = { count, _, _ in count % 3_000 == 0 ? .closeAbruptly : .accept }
            let recorder = try await stage.run(20_000)
            let lost = recorder.tags {
                if case .unsent(.connectionLost, mayHaveBeenDelivered: true) = $0 { true } else { false }
            }
            #expect(!lost.isEmpty)
            #expect(lost.count + recorder.accepted.count == 20_000)
            #expect(recorder.wrongTags().isEmpty)
            // An answer may be lost on the way: the provider's 200s hold all accepted ones, others only among the lost.
            let ledger = stage.ledgerAccepted()
            let accepted = Set(recorder.accepted.map(OutcomeRecorder.path))
            #expect(accepted.isSubset(of: ledger.keys))
            #expect(Set(ledger.keys).subtracting(accepted).isSubset(of: lost.map(OutcomeRecorder.path)))
            #expect(ledger.values.allSatisfy { $0 == 1 })
            stage.provider.script = { _, _, _ in .accept }
            #expect(try await stage.run(100, firstTag: 50_000).accepted.count == 100)
            await stage.close()
        }

        @Test("A connection that is silent altogether is asked by PING and found dead")
        func deadConnection() async throws {
            let stage = try Stage {
                $0.idlePingInterval = .milliseconds(50)
                $0.pingTimeout = .seconds(1)
                $0.maximumConnections = 1
            }
            #expect(try await stage.run(1).accepted.count == 1)
            // Answered PINGs keep the connection.
            _ = await eventually(1.5) { false }
            #expect(stage.provider.connectionsAccepted == 1)
            #expect(await stage.client.snapshot().counts.connectionsLost == 0)
            let isReleased = Mutex(false)
            stage.provider.reactor.execute {
                while !isReleased.withLock({ $0 }) {}
            }
            #expect(await eventually { await stage.client.snapshot().counts.connectionsLost == 1 })
            isReleased.withLock { $0 = true }
            #expect(try await stage.run(1, firstTag: 10).accepted.count == 1)
            await stage.close()
        }

        @Test("Connections are retired after their share of pushes")
        func retirement() async throws {
            let stage = try Stage {
                $0.pushesPerConnection = 500; $0.maximumConnections = 2
            }
            let recorder = try await stage.run(5_000)
            #expect(recorder.accepted.count == 5_000)
            expectAgreement(recorder, stage, 5_000)
            var perConnection: [Int: Int] = [:]
            for entry in stage.provider.ledger { perConnection[entry.connection, default: 0] += 1 }
            #expect(perConnection.values.allSatisfy { $0 <= 500 })
            #expect(perConnection.count >= 10)
            await stage.close()
        }
    }
}
