import GatewayStore
import HTTPTypes
import LiveActivity
import Testing

@testable import GatewayAPI

@Suite("Readiness")
struct ReadinessTests {
    private struct Probe: StoreProbe {
        let error: StoreError?

        func ping() async throws(StoreError) {
            if let error { throw error }
        }
    }

    private func reply(
        _ error: StoreError? = nil, _ reasons: [ReadinessReason] = [], isStopping: Bool = false
    ) async -> (status: Int, text: String) {
        let board = ReadinessBoard()
        board.add { reasons }
        let reply = await HealthAPI(store: Probe(error: error), readiness: board, isStopping: { isStopping }).ready()
        return (Int(reply.status.code), String(decoding: reply.body, as: UTF8.self))
    }

    @Test("A gateway is ready when the store answers and nothing blocks; warnings are told all the same")
    func ready() async {
        #expect(await reply() == (200, #"{"status":"success"}"#))
        let warned = await reply(nil, [ReadinessReason("slow", "it is slow", isBlocking: false)])
        #expect(warned.status == 200 && warned.text.contains(#""warnings":[{"name":"slow""#))
    }

    @Test("It is not while it stops, while the store is away, or while something blocks")
    func notReady() async {
        #expect(await reply(isStopping: true).text.contains("SHUTTING_DOWN"))
        let away = await reply(.unavailable("gone"), [ReadinessReason("slow", "it is slow", isBlocking: false)])
        #expect(away.status == 503 && away.text.contains("STORE_UNAVAILABLE"))
        #expect(away.text.contains(#""reasons":[{"name":"redis_unreachable""#))
        #expect(away.text.contains(#""warnings":[{"name":"slow""#))
        let blocked = await reply(nil, [ReadinessReason("paused", "it is paused", isBlocking: true)])
        #expect(blocked.status == 503 && blocked.text.contains("NOT_READY"))
        #expect(blocked.text.contains(#""reasons":[{"name":"paused""#))
    }
}
