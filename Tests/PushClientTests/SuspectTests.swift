import Delivery
import PushClient
import Reactor
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Suspect tokens") struct SuspectTests {
        private static let rejections: [TestProvider.Answer] = [
            .status(400, body: #"{"reason":"BadDeviceToken"}"#),
            .status(410, body: #"{"reason":"Unregistered","timestamp":1}"#),
            .status(429, body: #"{"reason":"TooManyRequests"}"#),
        ]

        @Test("A token that was rejected is pushed to on a connection of its own the next time", arguments: 0..<3)
        func ownConnection(number: Int) async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let rejection = Self.rejections[number]
            let bad = Set((0..<200).filter { $0 % 10 == 0 }.map { OutcomeRecorder.path(UInt64($0)) })
            stage.provider.script = { _, _, path in bad.contains(path) ? rejection : .accept }
            _ = try await stage.run(200)
            let first = stage.provider.ledger.count
            _ = try await stage.run(200)
            let second = stage.provider.ledger[first...]
            #expect(second.count == 200)
            let own = Set(second.filter { bad.contains($0.path) }.map(\.connection))
            let others = Set(second.filter { !bad.contains($0.path) }.map(\.connection))
            #expect(own.count == 1 && others.count == 1 && own.isDisjoint(with: others))
            await stage.close()
        }

        @Test("Once it is accepted again, it goes among the others")
        func rehabilitation() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let rejection = Self.rejections[0]
            // Each of the first is tried on both connections.
            stage.provider.script = { count, _, _ in count <= 40 ? rejection : .accept }
            for _ in 0..<3 { _ = try await stage.run(20) }
            let connections = stage.provider.ledger.map(\.connection)
            #expect(connections.count == 80)
            #expect(Set(connections[40..<60]).isDisjoint(with: connections[60...]))
            #expect(Set(connections[..<40]) == Set(connections[40...]))
            await stage.close()
        }

        @Test("An answer that is not about the token makes none suspect")
        func credential() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            stage.provider.script = { count, _, _ in
                count <= 2 ? .status(500, body: #"{"reason":"InternalServerError"}"#) : .accept
            }
            for _ in 0..<2 { _ = try await stage.run(2) }
            #expect(Set(stage.provider.ledger.map(\.connection)).count == 1)
            await stage.close()
        }

        @Test("When all tokens are suspect, they go among the others as well, and none is left behind")
        func all() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let rejection = Self.rejections[0]
            stage.provider.script = { _, _, _ in rejection }
            for _ in 0..<2 {
                let recorder = try await stage.run(5_000)
                #expect(recorder.wrongTags().isEmpty)
            }
            #expect(Set(stage.provider.ledger.map(\.connection)).count == 2)
            await stage.close()
        }

        /// A provider whose first connection rejects some tokens. All other connections give another answer.
        private static func script(
            _ bad: Set<String>, others: TestProvider.Answer
        ) -> @Sendable (Int, Int, String) -> TestProvider.Answer {
            let first = Locked<Int?>(nil)
            return { _, connection, path in
                let isFirst = first.withLock { first in
                    first = first ?? connection
                    return first == connection
                }
                guard isFirst else { return others }
                return bad.contains(path) ? rejections[0] : .accept
            }
        }

        @Test("Trouble on the connection for suspects pauses no other push")
        func trouble() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let bad = Set((0..<200).filter { $0 % 4 == 0 }.map { OutcomeRecorder.path(UInt64($0)) })
            stage.provider.script = Self.script(bad, others: .status(503, retryAfter: 60))
            for _ in 0..<4 {
                let recorder = try await stage.run(200)
                #expect(recorder.accepted.count == 150)
                #expect(await stage.client.snapshot().health == .healthy)
            }
            #expect(try await stage.run(50, firstTag: 1_000).accepted.count == 50)
            await stage.close()
        }

        @Test("A rejection that no other connection confirms is reported to be tried again")
        func unconfirmed() async throws {
            let stage = try Stage { $0.maximumConnections = 1 }
            let bad = Set((0..<5).map { OutcomeRecorder.path(UInt64($0)) })
            stage.provider.script = Self.script(bad, others: .reset(7))
            let recorder = try await stage.run(5)
            for outcome in recorder.outcomes.values {
                guard case .rejected(let rejection)? = outcome.first else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(rejection.reason == "BadDeviceToken" && rejection.classification.verdict == .later)
            }
            await stage.close()
        }
    }
}
