import APNsCore
import Delivery
import PushClient
import Synchronization
import TestProvider
import Testing
import TimeCore

extension PushClientTests {
    @Suite("Answers") struct AnswerTests {
        private func answer(_ answer: TestProvider.Answer) async throws -> PushOutcome? {
            let stage = try Stage()
            stage.provider.script = { _, _, _ in answer }
            let recorder = try await stage.run(1)
            await stage.close()
            #expect(recorder.wrongTags().isEmpty)
            return recorder.outcomes[0]?.first
        }

        @Test("410 brings the timestamp since when the token is dead")
        func unregistered() async throws {
            let body = #"{"reason":"Unregistered","timestamp":1700000000123}"#
            #expect(
                try await answer(.status(410, body: body))
                    == .rejected(Rejection(status: 410, reason: .unregistered, unregisteredSince: 1_700_000_000_123)))
        }

        @Test(
            "Each answer from 200 to 299 is an acceptance, with a body and without",
            arguments: [201, 202, 204, 206, 299])
        func acceptances(status: Int) async throws {
            #expect(try await answer(.status(status)) == .accepted)
            if status != 204 { #expect(try await answer(.status(status, body: "{}")) == .accepted) }
        }

        @Test("429 brings the seconds to wait")
        func tooManyRequests() async throws {
            #expect(
                try await answer(.status(429, body: #"{"reason":"TooManyRequests"}"#, retryAfter: 7))
                    == .rejected(Rejection(status: 429, reason: .tooManyRequests, retryAfter: 7)))
        }

        @Test("An unknown reason is kept as text")
        func unknownReason() async throws {
            #expect(
                try await answer(.status(400, body: #"{"reason":"SomethingNew"}"#))
                    == .rejected(Rejection(status: 400, reason: .unknown("SomethingNew"))))
        }

        @Test("An error without a body has no reason")
        func noBody() async throws {
            #expect(try await answer(.status(500)) == .rejected(Rejection(status: 500, reason: .missing)))
        }

        @Test("A body longer than we keep is cut, and does no harm")
        func longBody() async throws {
            let body = #"{"reason":"BadTopic","more":""# + String(repeating: "x", count: 9_000) + #""}"#
            #expect(
                try await answer(.status(400, body: body)) == .rejected(Rejection(status: 400, reason: .badTopic)))
        }

        @Test("After ExpiredProviderToken the next push goes out with a new token, which is signed once")
        func expiredToken() async throws {
            let clock = Atomic<UInt64>(1_700_000_000)
            let now: @Sendable () -> UInt64 = { clock.load(ordering: .relaxed) }
            let stage = try Stage(wallClock: now)
            #expect(try await stage.run(10).accepted.count == 10)
            clock.store(1_700_000_000 + 1_300, ordering: .relaxed)
            let body = #"{"reason":"ExpiredProviderToken"}"#
            stage.provider.script = { count, _, _ in count <= 25 ? .status(403, body: body) : .accept }
            let recorder = try await stage.run(15, firstTag: 100)
            #expect(
                recorder.tags { $0 == .rejected(Rejection(status: 403, reason: .expiredProviderToken)) }.count == 15)
            let more = try await stage.run(10, firstTag: 1_000)
            #expect(more.accepted.count == 10)
            let ledger = stage.provider.ledger
            let claims = try ledger.map { try ProviderTokenText(String($0.authorization.dropFirst(7))).claims }
            #expect(Set(claims[..<10]) == [#"{"iss":"TEAM123456","iat":1700000000}"#])
            #expect(Set(claims[25...]) == [#"{"iss":"TEAM123456","iat":1700001300}"#])
            #expect(await stage.client.snapshot().counts.authorizations == 2)
            // Its first connection had used the old token for less than twenty minutes.
            #expect(ledger.last?.connection == 2)
            await stage.close()
        }

        @Test("ExpiredProviderToken within twenty minutes brings no other token")
        func expiredTooSoon() async throws {
            let stage = try Stage(wallClock: { 1_700_000_000 })
            stage.provider.script = { _, _, _ in .status(403, body: #"{"reason":"ExpiredProviderToken"}"#) }
            _ = try await stage.run(15)
            #expect(Set(stage.provider.ledger.map(\.authorization)).count == 1)
            #expect(await stage.client.snapshot().counts.authorizations == 1)
            await stage.close()
        }

        @Test("A token that grows old is renewed, and a connection old enough keeps going with the new one")
        func renewal() async throws {
            let clock = Atomic<UInt64>(1_700_000_000)
            let stage = try Stage(
                change: { $0.tokenChangeInterval = .zero }, wallClock: { clock.load(ordering: .relaxed) })
            #expect(try await stage.run(10).accepted.count == 10)
            clock.store(1_700_000_000 + 3_001, ordering: .relaxed)
            #expect(try await stage.run(10, firstTag: 100).accepted.count == 10)
            let ledger = stage.provider.ledger
            #expect(Set(ledger[..<10].map(\.authorization)).count == 1)
            #expect(Set(ledger[10...].map(\.authorization)).count == 1)
            #expect(ledger[0].authorization != ledger[10].authorization)
            #expect(stage.provider.connectionsAccepted == 1)
            await stage.close()
        }

        @Test("IdleTimeout makes the next push go over a new connection")
        func idleTimeout() async throws {
            let stage = try Stage()
            stage.provider.script = { count, _, _ in
                count == 1 ? .status(400, body: #"{"reason":"IdleTimeout"}"#) : .accept
            }
            _ = try await stage.run(1)
            #expect(try await stage.run(1, firstTag: 5).accepted.count == 1)
            #expect(stage.provider.ledger.map(\.connection) == [1, 2])
            await stage.close()
        }
    }
}
