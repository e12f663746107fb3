import GatewayStore
import LiveActivity

extension GatewayRouter {
    /// The answer of `GET /health/ready`.
    func readinessReply() async -> Reply {
        do {
            try checkRunning()
            try await store.ping()
        } catch let error as APIError {
            return Reply(error)
        } catch {
            return Reply(APIError(error as? StoreError ?? .unavailable("")))
        }
        let reasons = readiness.reasons
        let blocking = reasons.filter(\.isBlocking)
        let warnings = reasons.filter { !$0.isBlocking }
        guard let first = blocking.first else { return .success { $0.reasons("warnings", warnings) } }
        var error = APIError(.notReady, first.text, retryAfter: GatewayRouter.readinessRetry)
        error.reasons = blocking
        error.warnings = warnings
        return Reply(error)
    }

    private static let readinessRetry = 5
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
