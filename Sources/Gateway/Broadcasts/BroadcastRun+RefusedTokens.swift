import BroadcastCore
import GatewayStore
import TimeCore

/// The refused tokens of a page, and the time of their pushes.
struct RefusedTokens {
    let page: Int
    let tokens: [(index: Int, token: [UInt8])]
    let pushedAt: WallTime
}

// Tokens that the provider refuses are quarantined after the run. Only then it is known if the tokens or their
// environment are wrong.
extension BroadcastRun {
    /// Keeps the refused tokens of a page until the run is over.
    func keepRefused(_ outcome: PageOutcome) {
        guard !outcome.quarantinedTokens.isEmpty else { return }
        pages.refused.append(
            RefusedTokens(page: outcome.page, tokens: outcome.quarantinedTokens, pushedAt: outcome.pushedAt))
    }

    /// Quarantines the refused tokens, unless too many were refused in all or in a row. The environment may then be
    /// wrong. The run ends only afterwards. If the store fails, the provider's next refusal repeats it.
    func quarantineRefused() {
        let held = pages.refused
        pages.refused = []
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
