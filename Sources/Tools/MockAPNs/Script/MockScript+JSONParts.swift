import TimeCore

extension MockLatency {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        if let fixed = try reader.milliseconds("fixed_ms") {
            self = .fixed(fixed)
        } else if let low = try reader.milliseconds("min_ms"), let high = try reader.milliseconds("max_ms") {
            self = .uniform(low, high)
        } else {
            var points: [Percentile] = []
            for point in try reader.objects("percentiles") {
                guard let share = try point.share("share"), let latency = try point.milliseconds("ms") else {
                    throw MockAPNsError("\(point.path("share")) and \(point.path("ms")) must be given")
                }
                points.append(Percentile(share: share, latency: latency))
            }
            guard !points.isEmpty else {
                throw MockAPNsError("\(reader.path("fixed_ms")), min_ms with max_ms, or percentiles must be given")
            }
            self = .percentiles(points.sorted { $0.share < $1.share })
        }
    }
}

extension MockRule {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        var match = Match()
        match.tokens = try reader.strings("tokens").map { Set($0) }
        match.skip = try reader.int("skip") ?? 0
        match.every = try reader.int("every", in: 1...1_000_000_000)
        match.share = try reader.share("share")
        match.connectionEvery = try reader.int("connection_every", in: 1...1_000_000_000)
        if let name = try reader.string("event") {
            guard let event = MockPushEvent(rawValue: name) else {
                throw MockAPNsError("\(reader.path("event")) must be start, update or end")
            }
            match.event = event
        }
        self.init(match, try Action(reader))
        latency = try reader.object("latency").map { reader throws(MockAPNsError) in try MockLatency(reader) }
        limit = try reader.int("limit")
    }
}

extension MockRule.Action {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        if let status = try reader.int("status", in: 200...599) {
            guard let reason = try reader.string("reason") else {
                throw MockAPNsError("\(reader.path("reason")) must be given with a status")
            }
            let timestamp = try reader.int64("timestamp", in: 0...(.max))
            self = .answer(
                status: status, reason: reason, timestamp: timestamp, retryAfter: try reader.int("retry_after"))
            return
        }
        switch try reader.string("action") {
        case "accept": self = .accept
        case "silence": self = .silence
        // REFUSED_STREAM (RFC 9113, section 7).
        case "reset": self = .reset(code: try reader.uint32("error_code", in: 0...(.max)) ?? 7)
        case "close": self = .close(abruptly: false)
        case "close_abruptly": self = .close(abruptly: true)
        default:
            throw MockAPNsError(
                "\(reader.path("action")) must be accept, silence, reset, close or close_abruptly, or a status be given"
            )
        }
    }
}

extension MockScript.GoAway {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        guard let streams = try reader.int("after_streams", in: 1...1_000_000_000) else {
            throw MockAPNsError("\(reader.path("after_streams")) must be given")
        }
        self.init(afterStreams: streams, reason: try reader.string("reason"), limit: try reader.int("limit"))
        if let count = try reader.int("minus") { lastStream = .minus(count) }
        switch try reader.string("last_stream") {
        case nil, "current": break
        case "maximum": lastStream = .maximum
        default: throw MockAPNsError("\(reader.path("last_stream")) must be current or maximum")
        }
        errorCode = try reader.uint32("error_code", in: 0...(.max)) ?? 0
        linger = try reader.milliseconds("linger_ms") ?? linger
    }
}

extension MockScript.StreamLimit {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        let range: ClosedRange<UInt32> = 0...(.max)
        self.init(
            usual: try reader.uint32("usual", in: range),
            beforeFirstValidPush: try reader.uint32("before_first_valid_push", in: range),
            afterRejection: try reader.uint32("after_rejection", in: range))
        for change in try reader.objects("changes") {
            guard let count = try change.int("after_pushes"), let limit = try change.uint32("limit", in: range) else {
                throw MockAPNsError("\(change.path("after_pushes")) and \(change.path("limit")) must be given")
            }
            changes.append(Change(afterPushes: count, limit: limit))
        }
    }
}

extension MockScript.Admission {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        let duration = try reader.milliseconds("for_ms")
        switch try reader.string("mode") {
        case "accept": self.init(.accept, for: duration)
        case "refuse": self.init(.refuse, for: duration)
        case "reset": self.init(.reset, for: duration)
        case "stall_handshake": self.init(.stallHandshake, for: duration)
        default: throw MockAPNsError("\(reader.path("mode")) must be accept, refuse, reset or stall_handshake")
        }
    }
}

extension MockScript.SettingsTiming {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        if try reader.bool("never") == true {
            self = .never
        } else {
            self = try reader.milliseconds("delay_ms").map { .after($0) } ?? .atOnce
        }
    }
}

extension MockScript.ProviderTokens {
    init(_ reader: ScriptReader) throws(MockAPNsError) {
        self.init()
        lifetime = try reader.milliseconds("lifetime_ms") ?? lifetime
        allowedSkew = try reader.milliseconds("skew_ms") ?? allowedSkew
        renewalInterval = try reader.milliseconds("renewal_interval_ms")
    }
}
