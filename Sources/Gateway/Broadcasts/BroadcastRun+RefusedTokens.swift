import BroadcastCore
import GatewayStore
import TimeCore

// Tokens that the provider refuses are quarantined when the run is over. Only then is it known whether the tokens are
// wrong, or the environment that they were sent to.
extension BroadcastRun {
    /// Tokens of a page, and the time at which they were pushed to.
    struct RefusedTokens {
        let page: Int
        let tokens: [(index: Int, token: [UInt8])]
        let pushedAt: WallTime
    }

    /// Keeps the refused tokens of a page until the run is over.
    func keepRefused(_ outcome: PageOutcome) {
        guard !outcome.quarantinedTokens.isEmpty else { return }
        refused.append(
            RefusedTokens(page: outcome.page, tokens: outcome.quarantinedTokens, pushedAt: outcome.pushedAt))
    }

    /// Quarantines the refused tokens, unless so many were refused, of all or in a row, that the environment may be
    /// wrong. The run is not over before that is done. If the store fails, the provider's next refusal repeats it.
    func quarantineRefused() {
        let held = refused
        refused = []
        guard core.alarm.blamesAddresses else { return }
        writes += held.count
        for page in held {
            store.quarantine.add(page.tokens, inPage: page.page, of: order, asOf: page.pushedAt) { [self] _ in
                writes -= 1
                concludeIfDone()
            }
        }
    }
}
