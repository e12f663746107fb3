import Delivery
import GatewayStore
import Reactor
import TimeCore

/// A credential that one host takes and another one refuses: a key for production alone, and phones of developers at
/// the sandbox. It does not pass like other trouble, so nobody waits for it.
extension JobWorker {
    /// Why nothing more is to be sent through a provider; nil while there is hope. It has refused the credential for a
    /// while, and another provider takes the same.
    func refusal(_ provider: any PushProvider) -> String? {
        guard case .paused(let reason, let since) = provider.health, reason.kind == .credential,
            reactor.now - since >= settings.refusalPatience,
            apps.providers.contains(where: { isWell($0, with: provider.identity.account) })
        else { return nil }
        return reason.name
    }

    private func isWell(_ provider: any PushProvider, with account: ProviderAccount) -> Bool {
        provider.identity.account == account && !provider.health.isPaused && provider.ability == .can
    }

    /// Stops the starts and updates that are sent through such providers: the rest counts as failed, with the
    /// provider's reason.
    func stopRefused() {
        for provider in apps.providers {
            guard let reason = refusal(provider) else { continue }
            for run in runs(of: provider.engine) { _ = run.refuse(reason) }
            // No push of a broadcast tries it any more.
            if provider.room > 0 { provider.probe() }
        }
    }
}
