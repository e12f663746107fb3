extension ConnectionScript.GoAway {
    package enum Key: String, ScriptKey {
        case afterStreams = "after_streams"
        case minus
        case lastStream = "last_stream"
        case reason
        case errorCode = "error_code"
        case limit
        case linger = "linger_ms"

        package static let place = "goaway"
    }

    private enum Word: String, CaseIterable {
        case current, maximum
    }

    /// - Parameter reasons: The provider's reasons.
    init<Reasons: ScriptReasons>(_ goAway: ScriptObject<Key>, _ reasons: Reasons.Type) throws(MockError) {
        let streams = try goAway.int(.afterStreams, in: 1...1_000_000_000)
        self.init(
            afterStreams: try goAway.required(.afterStreams, streams), reason: try goAway.reason(.reason, reasons),
            limit: try goAway.int(.limit, in: 1...1_000_000_000))
        _ = try goAway.onlyOne(of: [.minus, .lastStream])
        if let count = try goAway.int(.minus) { lastStream = .minus(count) }
        if try goAway.word(.lastStream, Word.self) == .maximum { lastStream = .maximum }
        errorCode = try goAway.uint32(.errorCode) ?? 0
        linger = try goAway.milliseconds(.linger) ?? linger
    }
}

extension ConnectionScript.StreamLimit {
    package enum Key: String, ScriptKey {
        case usual
        case beforeFirstValidPush = "before_first_valid_push"
        case afterRejection = "after_rejection"
        case changes

        package static let place = "stream_limit"
    }

    init(_ limit: ScriptObject<Key>) throws(MockError) {
        self.init(
            usual: try limit.uint32(.usual), beforeFirstValidPush: try limit.uint32(.beforeFirstValidPush),
            afterRejection: try limit.uint32(.afterRejection))
        for change in try limit.objects(.changes, Change.Key.self) { changes.append(try Change(change)) }
    }
}

extension ConnectionScript.StreamLimit.Change {
    package enum Key: String, ScriptKey {
        case afterPushes = "after_pushes"
        case limit

        package static let place = "stream_limit.changes[]"
    }

    init(_ change: ScriptObject<Key>) throws(MockError) {
        self.init(
            afterPushes: try change.required(.afterPushes, change.int(.afterPushes)),
            limit: try change.required(.limit, change.uint32(.limit)))
    }
}

extension ConnectionScript.Admission {
    package enum Key: String, ScriptKey {
        case mode
        case duration = "for_ms"

        package static let place = "connections"
    }

    init(_ admission: ScriptObject<Key>) throws(MockError) {
        let mode = try admission.required(.mode, admission.word(.mode, Mode.self))
        if mode == .accept { try admission.refuse(.duration, because: "is not allowed with accept") }
        self.init(mode, for: try admission.milliseconds(.duration))
    }
}

extension ConnectionScript.SettingsTiming {
    package enum Key: String, ScriptKey {
        case delay = "delay_ms"
        case never

        package static let place = "settings"
    }

    init(_ settings: ScriptObject<Key>) throws(MockError) {
        switch try settings.onlyOne(of: [.delay, .never]) {
        case .delay: self = .after(try settings.required(.delay, settings.milliseconds(.delay)))
        case .never: self = try settings.bool(.never) == true ? .never : .atOnce
        default: throw settings.error("delay_ms or never is required")
        }
    }
}
