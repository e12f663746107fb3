import APNsCore
import Delivery
import Foundation
import PushClient
import Reactor
import Synchronization
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Delivery") struct DeliveryTests {
        @Test("Twenty thousand pushes are each accepted exactly once")
        func allOnce() async throws {
            let stage = try Stage()
            let recorder = try await stage.run(20_000)
            #expect(recorder.wrongTags().isEmpty)
            #expect(recorder.accepted.count == 20_000)
            let ledger = stage.ledgerAccepted()
            #expect(ledger.count == 20_000)
            #expect(ledger.values.allSatisfy { $0 == 1 })
            await stage.close()
        }

        @Test("A push carries the documented header fields, an identifier that can be derived, and a verifiable token")
        func headers() async throws {
            let stage = try Stage(wallClock: { 1_700_000_000 })
            let template = try Stage.template(bytes: 4_096, collapse: "match-7")
            let recorder = OutcomeRecorder(stage.client, template, total: 1, firstTag: 0x01020304)
            await recorder.run()
            let entry = try #require(stage.provider.ledger.first)
            #expect(entry.path == OutcomeRecorder.path(0x01020304))
            #expect(entry.headers[":method"] == "POST")
            #expect(entry.headers[":scheme"] == "https")
            #expect(entry.headers[":authority"] == "localhost:\(stage.provider.port)")
            #expect(entry.headers["apns-push-type"] == "liveactivity")
            #expect(entry.headers["apns-topic"] == "com.example.app.push-type.liveactivity")
            #expect(entry.headers["apns-priority"] == "10")
            #expect(entry.headers["apns-expiration"] == "1900000000")
            #expect(entry.headers["apns-collapse-id"] == "match-7")
            #expect(entry.identifier == "01020304-0506-0708-090a-0b0c01020304")
            #expect(entry.identifier == template.identifier.text(slot: 0x01020304))
            #expect(entry.bodyLength == 4_096)
            #expect(entry.authorization.hasPrefix("bearer "))
            let token = try ProviderTokenText(String(entry.authorization.dropFirst(7)))
            #expect(token.header == #"{"alg":"ES256","kid":"ABCDE12345"}"#)
            #expect(token.claims == #"{"iss":"TEAM123456","iat":1700000000}"#)
            #expect(try token.isSigned(publicKey: TestIdentity.shared.directory.appendingPathComponent("key.pub")))
            await stage.close()
        }

        @Test("Several broadcasts share the pool, and each receiver hears of its own pushes only")
        func sharedPool() async throws {
            let stage = try Stage(limit: 50)
            let all = try (0..<4).map {
                OutcomeRecorder(stage.client, try Stage.template(), total: 3_000, firstTag: UInt64($0) * 100_000)
            }
            await withTaskGroup(of: Void.self) { group in
                for recorder in all { group.addTask { await recorder.run() } }
            }
            for recorder in all {
                #expect(recorder.wrongTags().isEmpty)
                #expect(recorder.outcomes.count == 3_000)
                #expect(recorder.accepted.count == 3_000)
            }
            await stage.close()
        }

        @Test("Room falls to zero and grows again, and a push without room is not taken")
        func backPressure() async throws {
            let stage = try Stage {
                $0.queueLimit = 100; $0.maximumConnections = 1; $0.pushDeadline = .seconds(5); $0.initialStreams = 1_000
            }
            stage.provider.script = { _, _, _ in .silence }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 5_000)
            recorder.start()
            // 1,000 streams and 100 places in the queue.
            #expect(await eventually { stage.provider.requests == 1_000 })
            #expect(await eventually { await stage.client.snapshot().waiting == 100 })
            let snapshot = await stage.client.snapshot()
            #expect(snapshot.room == 0)
            #expect(snapshot.inFlight == 1_000)
            #expect(snapshot.connections.map(\.openStreams) == [1_000])
            stage.provider.script = { _, _, _ in .accept }
            await recorder.waitForOutcomes(5_000)
            #expect(recorder.wrongTags().isEmpty)
            #expect(recorder.tags { $0 == .unsent(.timedOut, mayHaveBeenDelivered: true) }.count == 1_000)
            #expect(await stage.client.snapshot().room > 0)
            await stage.close()
        }

        @Test("What is withdrawn before it has a stream never goes out")
        func withdrawn() async throws {
            let stage = try Stage {
                $0.maximumConnections = 1; $0.initialStreams = 1
            }
            let template = try Stage.template()
            // There is a connection then, with four streams.
            _ = try await stage.run(1, firstTag: 5_000)
            let (recorder, others) = (
                OutcomeRecorder(stage.client, template, total: 50),
                OutcomeRecorder(stage.client, template, total: 50, firstTag: 1000)
            )
            stage.client.reactor.execute {
                recorder.roomGrew()
                others.roomGrew()
                stage.client.withdraw(recorder)
            }
            await recorder.waitForOutcomes(50)
            await others.waitForOutcomes(50)
            let withdrawn = recorder.tags { $0 == .unsent(.shutDown, mayHaveBeenDelivered: false) }.count
            #expect(withdrawn >= 40 && withdrawn + recorder.accepted.count == 50)
            #expect(others.accepted.count == 50 && stage.provider.requests == 101 - withdrawn)
            await stage.close()
        }

        @Test("Cancelled pushes without an answer end at once as unanswered, and other pushes continue")
        func givenUp() async throws {
            let stage = try Stage {
                $0.maximumConnections = 1; $0.initialStreams = 100; $0.pushDeadline = .seconds(300)
            }
            let template = try Stage.template()
            let (recorder, others) = (
                OutcomeRecorder(stage.client, template, total: 3),
                OutcomeRecorder(stage.client, template, total: 3, firstTag: 1000)
            )
            stage.provider.script = { _, _, _ in .silence }
            recorder.start()
            others.start()
            #expect(await eventually { stage.provider.requests == 6 })
            stage.client.reactor.execute { stage.client.cancelUnanswered(recorder) }
            await recorder.waitForOutcomes(3)
            #expect(recorder.tags { $0 == .unsent(.timedOut, mayHaveBeenDelivered: true) }.count == 3)
            #expect(await stage.client.snapshot().counts.unsent == 3)
            stage.provider.script = { _, _, _ in .accept }
            #expect(try await stage.run(3, firstTag: 5_000).accepted.count == 3)
            #expect(stage.provider.connectionsAccepted == 1)
            stage.client.reactor.execute { stage.client.cancelUnanswered(others) }
            await others.waitForOutcomes(3)
            await stage.close()
        }

        @Test("While nothing may be sent nothing is taken nor sent, and everything afterwards")
        func held() async throws {
            let stage = try Stage()
            let mayBeSent = Mutex(false)
            stage.client.reactor.execute {
                stage.client.maySend = { _ in mayBeSent.withLock { $0 } }
                stage.client.turnWanted()
            }
            #expect(await eventually { await stage.client.snapshot().room == 0 })
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 500)
            recorder.start()
            #expect(await stage.client.snapshot().waiting == 0 && stage.provider.requests == 0)
            mayBeSent.withLock { $0 = true }
            stage.client.reactor.execute { stage.client.turnWanted() }
            await recorder.waitForOutcomes(500)
            #expect(recorder.accepted.count == 500)
            await stage.close()
        }

        @Test("What cannot be sent ends at once and reaches no provider")
        func unsendable() async throws {
            let stage = try Stage()
            let recorder = OutcomeRecorder(stage.client, try Stage.template(.broadcastChannel), total: 1)
            await recorder.run()
            #expect(recorder.outcomes[0] == [.unsent(.unsendable, mayHaveBeenDelivered: false)])
            #expect(stage.provider.requests == 0)
            await stage.close()
        }

        @Test("An orderly shutdown waits for the answers, and takes no more pushes")
        func shutdown() async throws {
            let stage = try Stage { $0.initialStreams = 1_000 }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 1_000)
            recorder.start()
            #expect(await eventually { stage.provider.requests > 0 })
            await stage.client.shutdown(deadline: .seconds(5))
            #expect(recorder.wrongTags().isEmpty)
            #expect(recorder.accepted.count == 1_000)
            let more = OutcomeRecorder(stage.client, try Stage.template(), total: 1)
            more.start()
            #expect(await stage.client.snapshot().connections.isEmpty)
            #expect(more.count == 0)
            await stage.provider.stop()
            stage.reactor.stop()
        }

        @Test("A shutdown that runs out of time ends what is left as unsent")
        func hastyShutdown() async throws {
            let stage = try Stage()
            stage.provider.script = { _, _, _ in .silence }
            let recorder = OutcomeRecorder(stage.client, try Stage.template(), total: 10)
            recorder.start()
            #expect(await eventually { stage.provider.requests == 10 })
            await stage.client.shutdown(deadline: .milliseconds(20))
            #expect(recorder.wrongTags().isEmpty)
            #expect(recorder.tags { $0 == .unsent(.shutDown, mayHaveBeenDelivered: true) }.count == 10)
            await stage.provider.stop()
            stage.reactor.stop()
        }
    }
}
