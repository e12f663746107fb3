import BroadcastCore
import GatewayStore
import TimeCore

// Tokens that the provider has refused as wrong are set aside when the run is over: until then nobody knows whether it is
// the tokens that are wrong, or where they were sent to.
extension BroadcastRun {
    /// Tokens of a page, and when they were pushed to.
    struct RefusedTokens {
        let page: Int
        let tokens: [(index: Int, token: [UInt8])]
        let pushedAt: WallTime
    }

    /// Takes them out of a page's outcome.
    func holdBackRefused(_ outcome: inout PageOutcome) {
        guard !outcome.quarantinedTokens.isEmpty else { return }
        refused.append(
            RefusedTokens(page: outcome.page, tokens: outcome.quarantinedTokens, pushedAt: outcome.pushedAt))
        outcome.quarantinedTokens = []
    }

    /// Has them set aside, unless so many were refused, of all or one behind the other, that it need not be the tokens that are
    /// wrong. The run is not over before that is done.
    func setRefusedAside() {
        let held = refused
        refused = []
        guard core.alarm.blamesAddresses else { return }
        writes += held.count
        for page in held {
            // One that could not be set aside is when the provider says so again.
            store.quarantine.add(page.tokens, inPage: page.page, of: order, asOf: page.pushedAt) { [self] _ in
                writes -= 1
                concludeIfDone()
            }
        }
    }
}
