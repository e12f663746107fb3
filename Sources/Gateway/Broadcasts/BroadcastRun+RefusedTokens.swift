import BroadcastCore
import GatewayStore
import Reactor
import TimeCore

// Tokens that the provider has refused as wrong are set aside when the run is over: until then nobody knows whether it
// is the tokens that are wrong, or where they were sent to.
extension BroadcastRun {
    /// Tokens of a page, and when they were pushed to.
    struct RefusedTokens {
        let page: Int
        let tokens: [(index: Int, token: [UInt8])]
        let pushedAt: WallTime
        let readAt: WallTime?
    }

    /// Takes them out of a page's outcome.
    func holdBackRefused(_ outcome: inout PageOutcome) {
        guard !outcome.quarantinedTokens.isEmpty else { return }
        refused.append(
            RefusedTokens(
                page: outcome.page, tokens: outcome.quarantinedTokens, pushedAt: outcome.pushedAt,
                readAt: outcome.readAt))
        outcome.quarantinedTokens = []
    }

    /// Has them set aside, unless so many were refused, of all or one behind the other, that it need not be the tokens
    /// that are wrong. The run is not over before that is done.
    func setRefusedAside() {
        let held = refused
        refused = []
        guard core.alarm.blamesAddresses else { return }
        writes += held.count
        for page in held { setAside(page) }
    }

    private func setAside(_ page: RefusedTokens) {
        store.quarantine.add(
            page.tokens, inPage: page.page, of: order, asOf: page.pushedAt, readAt: page.readAt
        ) { [self] result in
            // A token that an end could not set aside would be missing where the end waits for the next one. Any other
            // is set aside when the provider refuses it again.
            if case .failure = result, order.pendingEnd != nil {
                reactor.schedule(after: BroadcastRun.pause) { self.setAside(page) }
                return
            }
            writes -= 1
            concludeIfDone()
        }
    }
}
