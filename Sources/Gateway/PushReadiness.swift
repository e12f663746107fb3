import Broadcasts
import GatewayAPI
import PushProtocol

extension ReadinessReason {
    /// While others can push and this gateway cannot, requests are better sent to them; while nobody can, any gateway is as
    /// good as another.
    init(_ pause: PushPause) {
        let whose = "\(pause.authority), key \(pause.key.keyIdentifier): \(pause.reason.name)"
        if pause.areJobsLeftToOthers {
            self.init(
                "cannot_push",
                "this gateway cannot push while others can, and has left its jobs to them (\(whose)). "
                    + "Check its credential and its way to the provider",
                isBlocking: true)
        } else {
            self.init(
                "provider_paused", "pushes are paused, and are tried again until they are taken (\(whose))",
                isBlocking: false)
        }
    }
}
