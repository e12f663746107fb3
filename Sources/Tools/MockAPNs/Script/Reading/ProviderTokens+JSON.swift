import MockKit

extension MockScript.ProviderTokens {
    enum Key: String, ScriptKey {
        case lifetime = "lifetime_ms"
        case skew = "skew_ms"
        case renewalInterval = "renewal_interval_ms"

        static let place = "provider_tokens"
    }

    init(_ tokens: ScriptObject<Key>) throws(MockError) {
        self.init()
        lifetime = try tokens.milliseconds(.lifetime) ?? lifetime
        allowedSkew = try tokens.milliseconds(.skew) ?? allowedSkew
        renewalInterval = try tokens.milliseconds(.renewalInterval)
    }
}
