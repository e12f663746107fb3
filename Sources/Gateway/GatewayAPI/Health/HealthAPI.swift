import GatewayStore
import LiveActivity

/// Something that answers when the store does.
protocol StoreProbe: Sendable {
    func ping() async throws(StoreError)
}

extension GatewayStore: StoreProbe {}

/// Whether a gateway does its work.
struct HealthAPI: Sendable {
    let store: any StoreProbe
    let readiness: ReadinessBoard
    let isStopping: @Sendable () -> Bool

    private static let retry = 5

    /// Ready when the store answers and nothing keeps the gateway from its work.
    func ready() async -> Reply {
        guard !isStopping() else { return Reply(.stopping) }
        var denied: APIError?
        do {
            try await store.ping()
        } catch {
            guard error.isMissingRight else { return Reply(APIError(error)) }
            // It is there; the reasons name this right and those beside it.
            denied = APIError(error)
        }
        let reasons = readiness.reasons
        let blocking = reasons.filter(\.isBlocking)
        let warnings = reasons.filter { !$0.isBlocking }
        guard let first = blocking.first else {
            return denied.map { Reply($0) } ?? .success { $0.reasons("warnings", warnings) }
        }
        var error = APIError(.notReady, first.text, retryAfter: HealthAPI.retry)
        error.reasons = blocking
        error.warnings = warnings
        return Reply(error)
    }
}

extension JSONObjectWriter {
    /// Nothing when there is none.
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
