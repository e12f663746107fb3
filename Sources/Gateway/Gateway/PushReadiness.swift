import Broadcasts
import Delivery
import GatewayAPI

extension ReadinessReason {
    /// Blocks readiness only if other gateways can push. If none can, requests may as well come to this gateway.
    init(_ pause: PushPause) {
        let key = pause.identity.account.labels.last.map { ", \($0.name) \($0.value)" } ?? ""
        let whose = "\(pause.identity.authority)\(key): \(pause.reason.name)"
        if pause.areJobsLeftToOthers {
            self.init(
                "cannot_push",
                "this gateway cannot push although others can, and has handed its jobs to them (\(whose)). "
                    + "Check its credential and its network to the provider",
                isBlocking: true)
        } else {
            self.init(
                "provider_paused", "pushes are paused and retried until the provider accepts them (\(whose))",
                isBlocking: false)
        }
    }
}
