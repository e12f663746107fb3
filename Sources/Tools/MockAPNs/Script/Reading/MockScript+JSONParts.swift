extension MockScript.GoAway {
    enum Key: String, ScriptKey {
        case afterStreams = "after_streams"
        case minus
        case lastStream = "last_stream"
        case reason
        case errorCode = "error_code"
        case limit
        case linger = "linger_ms"

        static let place = "goaway"
    }

    private enum Word: String, CaseIterable {
        case current, maximum
    }

    init(_ goAway: ScriptObject<Key>) throws(MockAPNsError) {
        let streams = try goAway.int(.afterStreams, in: 1...1_000_000_000)
        self.init(
            afterStreams: try goAway.required(.afterStreams, streams), reason: try goAway.reason(.reason),
            limit: try goAway.int(.limit, in: 1...1_000_000_000))
        _ = try goAway.onlyOne(of: [.minus, .lastStream])
        if let count = try goAway.int(.minus) { lastStream = .minus(count) }
        if try goAway.word(.lastStream, Word.self) == .maximum { lastStream = .maximum }
        errorCode = try goAway.uint32(.errorCode) ?? 0
        linger = try goAway.milliseconds(.linger) ?? linger
    }
}

extension MockScript.StreamLimit {
    enum Key: String, ScriptKey {
        case usual
        case beforeFirstValidPush = "before_first_valid_push"
        case afterRejection = "after_rejection"
        case changes

        static let place = "stream_limit"
    }

    init(_ limit: ScriptObject<Key>) throws(MockAPNsError) {
        self.init(
            usual: try limit.uint32(.usual), beforeFirstValidPush: try limit.uint32(.beforeFirstValidPush),
            afterRejection: try limit.uint32(.afterRejection))
        for change in try limit.objects(.changes, Change.Key.self) { changes.append(try Change(change)) }
    }
}

extension MockScript.StreamLimit.Change {
    enum Key: String, ScriptKey {
        case afterPushes = "after_pushes"
        case limit

        static let place = "stream_limit.changes[]"
    }

    init(_ change: ScriptObject<Key>) throws(MockAPNsError) {
        self.init(
            afterPushes: try change.required(.afterPushes, change.int(.afterPushes)),
            limit: try change.required(.limit, change.uint32(.limit)))
    }
}

extension MockScript.Admission {
    enum Key: String, ScriptKey {
        case mode
        case duration = "for_ms"

        static let place = "connections"
    }

    init(_ admission: ScriptObject<Key>) throws(MockAPNsError) {
        let mode = try admission.required(.mode, admission.word(.mode, Mode.self))
        if mode == .accept { try admission.refuse(.duration, because: "has no place beside accept") }
        self.init(mode, for: try admission.milliseconds(.duration))
    }
}

extension MockScript.SettingsTiming {
    enum Key: String, ScriptKey {
        case delay = "delay_ms"
        case never

        static let place = "settings"
    }

    init(_ settings: ScriptObject<Key>) throws(MockAPNsError) {
        switch try settings.onlyOne(of: [.delay, .never]) {
        case .delay: self = .after(try settings.required(.delay, settings.milliseconds(.delay)))
        case .never: self = try settings.bool(.never) == true ? .never : .atOnce
        default: throw settings.error("delay_ms or never must be given")
        }
    }
}

extension MockScript.ProviderTokens {
    enum Key: String, ScriptKey {
        case lifetime = "lifetime_ms"
        case skew = "skew_ms"
        case renewalInterval = "renewal_interval_ms"

        static let place = "provider_tokens"
    }

    init(_ tokens: ScriptObject<Key>) throws(MockAPNsError) {
        self.init()
        lifetime = try tokens.milliseconds(.lifetime) ?? lifetime
        allowedSkew = try tokens.milliseconds(.skew) ?? allowedSkew
        renewalInterval = try tokens.milliseconds(.renewalInterval)
    }
}
