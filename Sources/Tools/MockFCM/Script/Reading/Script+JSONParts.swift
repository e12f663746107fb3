import MockKit

extension MockFCM.AccessTokenScript {
    enum Key: String, ScriptKey {
        case latency
        case lifetime = "lifetime_ms"
        case validity = "validity_ms"

        static let place = "access_tokens"
    }

    init(_ tokens: ScriptObject<Key>) throws(MockError) {
        self.init()
        latency = try tokens.latency(.latency) ?? latency
        lifetime = try tokens.milliseconds(.lifetime) ?? lifetime
        validity = try tokens.milliseconds(.validity)
    }
}

extension MockFCM.Quota {
    enum Key: String, ScriptKey {
        case messagesPerMinute = "messages_per_minute"
        case retryAfter = "retry_after"

        static let place = "quota"
    }

    private enum Word: String, CaseIterable {
        case seconds, date, none
    }

    init(_ quota: ScriptObject<Key>) throws(MockError) {
        self.init()
        messagesPerMinute = try quota.int(.messagesPerMinute) ?? messagesPerMinute
        switch try quota.word(.retryAfter, Word.self) {
        case .seconds?, nil: break
        case .date?: sendsDate = true
        case .some(.none): sendsRetryAfter = false
        }
    }
}

extension MockFCM.DeviceLimits {
    enum Key: String, ScriptKey {
        case messagesPerMinute = "messages_per_minute"
        case collapsibleBurst = "collapsible_burst"
        case collapsibleInterval = "collapsible_interval_ms"
        case collapseKeys = "collapse_keys"

        static let place = "devices"
    }

    init(_ limits: ScriptObject<Key>) throws(MockError) {
        self.init()
        messagesPerMinute = try limits.int(.messagesPerMinute) ?? messagesPerMinute
        collapsibleBurst = try limits.int(.collapsibleBurst) ?? collapsibleBurst
        collapsibleInterval = try limits.milliseconds(.collapsibleInterval) ?? collapsibleInterval
        collapseKeys = try limits.int(.collapseKeys) ?? collapseKeys
    }
}

extension MockFCM.MalformedTokens {
    enum Key: String, ScriptKey {
        case minimumLength = "minimum_length"
        case prefixes

        static let place = "malformed_tokens"
    }

    init(_ tokens: ScriptObject<Key>) throws(MockError) {
        self.init()
        minimumLength = try tokens.int(.minimumLength) ?? minimumLength
        prefixes = Set(try tokens.strings(.prefixes, each: "a text that is not empty") { !$0.isEmpty } ?? [])
    }
}
