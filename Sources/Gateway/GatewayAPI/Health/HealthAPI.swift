import GatewayStore
import LiveActivity

/// A store whose answer shows that it is there.
protocol StoreProbe: Sendable {
    func ping() async throws(StoreError)
}

extension GatewayStore: StoreProbe {}

/// Answers whether a gateway does its work.
struct HealthAPI: Sendable {
    let store: any StoreProbe
    let readiness: ReadinessBoard
    let isStopping: @Sendable () -> Bool

    private static let retry = 5

    /// Ready if the store answers and nothing blocks the gateway's work.
    func ready() async -> Reply {
        guard !isStopping() else { return Reply(.stopping) }
        var failure: APIError?
        var reasons = readiness.reasons
        do {
            try await store.ping()
        } catch {
            failure = APIError(error)
            // If only a right is missing, the store is there, and a blocking reason may name the right.
            if !error.isMissingRight {
                reasons.insert(HealthAPI.noAnswer, at: 0)
            } else if reasons.contains(where: \.isBlocking) {
                failure = nil
            }
        }
        let blocking = reasons.filter(\.isBlocking)
        let warnings = reasons.filter { !$0.isBlocking }
        guard failure != nil || !blocking.isEmpty else { return .success { $0.reasons("warnings", warnings) } }
        var error = failure ?? APIError(.notReady, blocking[0].text, retryAfter: HealthAPI.retry)
        error.reasons = blocking
        error.warnings = warnings
        return Reply(error)
    }

    private static let noAnswer = ReadinessReason(
        "redis_unreachable", "Redis does not answer; the log and fanfare doctor name the cause", isBlocking: true)
}

extension JSONObjectWriter {
    /// Writes no field if there is no reason.
    mutating func reasons(_ name: String, _ reasons: [ReadinessReason]) {
        guard !reasons.isEmpty else { return }
        array(name) { array in
            for reason in reasons {
                array.object {
                    $0.field("name", reason.name)
                    $0.field("text", reason.text)
                }
            }
        }
    }
}
