import GatewayStore
import HTTPTypes
import LiveActivity
import Synchronization
import Testing
import TimeCore

@testable import GatewayAPI

/// `Idempotency-Key` is the router's matter: rows say whether they can be repeated, handlers know nothing of it.
@Suite("Repetitions with the same Idempotency-Key")
struct RepetitionTests {
    /// Counts the times that its handler runs.
    private final class Work: Sendable {
        private let count = Mutex(0)

        var runs: Int { count.withLock { $0 } }

        func run(_ request: CustomerRequest) -> Reply {
            let run = count.withLock { count in
                count += 1
                return count
            }
            return .success {
                $0.field("run", run)
                $0.field("id", request.broadcastID.description)
            }
        }
    }

    private static let key = ["Idempotency-Key": "one"]

    private func ask(_ caller: Caller, headers: [String: String] = key) async throws -> Caller.Answer {
        try await caller.ask(.post, "/work", #"{"a":1}"#, key: "good", headers: headers)
    }

    private func caller(
        _ claims: Claims, _ work: Work, fails error: APIError? = nil, joined: UniqueID? = nil
    ) -> Caller {
        Caller(
            [
                Endpoint(
                    .post, "/work",
                    .command(
                        { request, _ in
                            let reply = work.run(request)
                            if let error { throw error }
                            return reply
                        },
                        joining: { request in
                            guard request.broadcastID == joined else { return nil }
                            return .success { $0.field("joined", true) }
                        }), KnownFields(body: ["a", "activity_id"]))
            ], claims: claims)
    }

    @Test("What comes of a request about an activity is named after it")
    func names() async throws {
        let activity = UniqueID.randomActivity()
        for (body, isNamed) in [
            (#"{"activity_id":"\#(activity)"}"#, true), (#"{"a":1}"#, false), (#"{"activity_id":"x"}"#, false),
            (#"{"activity_id":null}"#, false),
        ] {
            let caller = caller(Claims(), Work())
            let answer = try await caller.ask(.post, "/work", body, key: "good", headers: Self.key)
            let id = try #require(answer["id"]?.string.flatMap { UniqueID($0) })
            #expect((id.activity == activity) == isNamed && id != activity, "\(body)")
        }
    }

    @Test("The first answer is kept, and given to whoever asks again")
    func repeated() async throws {
        let (claims, work) = (Claims(), Work())
        let caller = caller(claims, work)
        let first = try await ask(caller)
        let second = try await ask(caller)
        #expect(first.status == 200 && first.text == second.text)
        #expect(first.header("idempotent-replayed") == nil && second.header("idempotent-replayed") == "true")
        #expect(work.runs == 1 && claims.calls == [.claim, .answer(200), .claim])
        // A killed gateway's claim runs out with its lease.
        #expect(claims.holds.allSatisfy { $0 == .seconds(6) })
    }

    @Test("Without a key, and on rows that cannot be repeated, every request is carried out")
    func unkeyed() async throws {
        let (claims, work) = (Claims(), Work())
        let caller = caller(claims, work)
        for _ in 0..<2 { _ = try await ask(caller, headers: [:]) }
        let other = Caller(
            [Endpoint(.post, "/work", .command { request, _ in work.run(request) }, KnownFields(body: ["a"]))],
            claims: claims)
        for _ in 0..<2 { _ = try await ask(other) }
        #expect(work.runs == 4 && claims.calls.isEmpty)
    }

    @Test("What the first request has begun is joined under the id that it had")
    func joined() async throws {
        let id = UniqueID.random()
        for claim in [IdempotencyClaim.claimed(id, arrived: .now()), .underWay(id)] {
            let work = Work()
            let answer = try await ask(caller(Claims(claim), work, joined: id))
            #expect(answer["joined"]?.bool == true && work.runs == 0)
            #expect(answer.header("idempotent-replayed") == "true")
        }
        let work = Work()
        let answer = try await ask(caller(Claims(.claimed(id, arrived: .now())), work))
        #expect(answer["id"]?.string == id.description && work.runs == 1)
    }

    @Test("A key that was used with another body is refused")
    func reused() async throws {
        let work = Work()
        let answer = try await ask(caller(Claims(.reused), work))
        #expect(answer.status == 422 && answer.code == "IDEMPOTENCY_KEY_REUSED" && work.runs == 0)
    }

    @Test("A refusal and a failure let go of the key, for the next try may be let in")
    func refusals() async throws {
        let errors = [
            APIError(.notStarted, "not yet"), APIError(.noEligibleDevice, "nobody"),
            APIError(.deviceNotSynced, "later", retryAfter: 5), APIError(.storeUnavailable, "gone", retryAfter: 1),
        ]
        for error in errors {
            let claims = Claims()
            let answer = try await ask(caller(claims, Work(), fails: error))
            // Only an update that was refused before the start counts from its next try.
            let call = error.code == .notStarted ? Claims.Call.letGoWithArrival : .letGo
            #expect(answer.status == Int(error.code.status.code) && claims.calls == [.claim, call], "\(error.code)")
            #expect(answer.header("idempotent-replayed") == nil)
        }
    }

    @Test("Who has slept gives the answer that another one has given meanwhile, whatever it found itself")
    func slept() async throws {
        for error in [nil, APIError(.alreadyStarted, "started"), APIError(.storeUnavailable, "gone", retryAfter: 1)] {
            let claims = Claims(other: (200, Array(#"{"status":"success","n":7}"#.utf8)))
            let answer = try await ask(caller(claims, Work(), fails: error))
            #expect(answer.status == 200 && answer["n"]?.int64 == 7, "\(answer.text)")
            #expect(answer.header("idempotent-replayed") == "true")
        }
    }

    @Test("A repetition gets all of a long answer, or empty lists when the tenant's budget is spent")
    func long() async throws {
        let endpoint = Endpoint(
            .post, "/work",
            .action(
                { _ in
                    .success { $0.array("list") { list in for _ in 0..<2000 { list.element("ten bytes!") } } }
                }, joining: Endpoint.Handler.nothing))
        for isSpent in [false, true] {
            let claims = Claims(isSpent: isSpent)
            let caller = Caller([endpoint], claims: claims)
            let (first, second) = (try await ask(caller), try await ask(caller))
            #expect(first.text.utf8.count > KeptReply.shortest && (claims.kept ?? []).count < 1000)
            #expect(second.text == (isSpent ? #"{"status":"success","list":[]}"# : first.text))
            #expect(second.header("idempotent-replayed") == "true")
        }
    }

    @Test("A reply that shows a secret is not written down")
    func secrets() async throws {
        let claims = Claims()
        let endpoint = Endpoint(
            .post, "/work",
            .action(
                { _ in
                    var reply = Reply.success { $0.field("secret", "s") }
                    reply.isSecret = true
                    return reply
                }, joining: Endpoint.Handler.nothing))
        #expect(try await ask(Caller([endpoint], claims: claims))["secret"]?.string == "s")
        #expect(claims.calls == [.claim, .letGo])
    }
}
