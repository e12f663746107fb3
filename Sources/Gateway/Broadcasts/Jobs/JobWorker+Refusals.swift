import Delivery
import GatewayStore
import LiveActivity
import Reactor
import TimeCore

/// A credential that one host accepts and another one refuses, for example a key for production alone and phones of
/// developers at the sandbox. A broadcast to both hosts does not wait for the refusing one, because a retry fails too.
extension JobWorker {
    /// Stops a run whose provider refuses the credential. A start that goes to that provider alone waits, because its
    /// activity cannot be started again.
    /// - Returns: True if the run is stopped.
    func refuse(_ run: BroadcastRun) -> Bool {
        let (order, tenantID) = (run.order, run.order.activity.tenantID)
        guard let provider = provider(of: tenantID, run.ticket), let reason = refusal(provider) else { return false }
        let isOnly = apps.routeKinds(of: tenantID).allSatisfy {
            order.pages(of: .list($0)).isEmpty
                || apps.broadcaster(of: tenantID, over: $0)?.provider.engine == provider.engine
        }
        return !(order.kind == .start && isOnly) && run.refuse(reason)
    }

    /// The reason to stop sending through a provider; nil if a retry may succeed. The provider has refused the
    /// credential for a while, and another provider accepts it.
    private func refusal(_ provider: any PushProvider) -> String? {
        guard case .paused(let reason, let since) = provider.health, reason.kind == .credential,
            reactor.now - since >= settings.refusalPatience,
            apps.providers.contains(where: { isWell($0, with: provider.identity.account) })
        else { return nil }
        return reason.name
    }

    private func isWell(_ provider: any PushProvider, with account: ProviderAccount) -> Bool {
        provider.identity.account == account && !provider.health.isPaused && provider.ability == .can
    }

    /// Stops the starts and updates that are sent through refusing providers. The rest counts as failed, with the
    /// provider's reason.
    func stopRefused() {
        for provider in apps.providers where refusal(provider) != nil {
            for run in runs(of: provider.engine) { _ = refuse(run) }
            // No push of a broadcast probes the provider any more.
            if provider.room > 0 { provider.probe() }
        }
    }
}
