import LiveActivity

extension MockScript {
    /// Reads a script file.
    ///
    /// A JSON object; every member may be left out, and what is left out is as in `MockScript()`. Lengths of time are
    /// milliseconds.
    ///
    ///     {
    ///       "latency": {"fixed_ms": 5},
    ///       "rules": [
    ///         {"tokens": ["ab01"], "status": 410, "reason": "Unregistered", "timestamp": 1700000000000},
    ///         {"event": "start", "every": 10, "status": 429, "reason": "TooManyRequests", "retry_after": 2},
    ///         {"share": 0.01, "action": "silence"},
    ///         {"skip": 100, "limit": 1, "action": "reset", "error_code": 7},
    ///         {"skip": 500, "limit": 1, "action": "close", "latency": {"fixed_ms": 50}}
    ///       ],
    ///       "goaway": {"after_streams": 1000, "minus": 3, "reason": "Shutdown", "limit": 1},
    ///       "stream_limit": {"usual": 500, "before_first_valid_push": 1, "after_rejection": 1,
    ///                        "changes": [{"after_pushes": 100, "limit": 1}, {"after_pushes": 110, "limit": 500}]},
    ///       "connections": {"mode": "refuse", "for_ms": 1000},
    ///       "settings": {"delay_ms": 200},
    ///       "provider_tokens": {"lifetime_ms": 3600000, "skew_ms": 300000, "renewal_interval_ms": 1200000},
    ///       "answers_pings": false,
    ///       "omits_error_bodies": true,
    ///       "initial_window_size": 16, "max_frame_size": 16384, "header_table_size": 0
    ///     }
    ///
    /// - `latency`: `{"fixed_ms": n}`, `{"min_ms": n, "max_ms": n}`, or `{"percentiles": [{"share": 0.5, "ms": 10},
    ///   {"share": 0.99, "ms": 80}]}`.
    /// - A rule's conditions: `tokens`, `event`, `skip`, `every`, `share`; see `MockRule.Match`. What it does is
    ///   `status` with `reason` (and `timestamp`, `retry_after` in seconds), or `action`: `accept`, `silence`,
    ///   `reset` (with `error_code`), `close` (in order) or `close_abruptly`. Also `latency` and `limit`.
    /// - `goaway`: `after_streams`; `minus` or `"last_stream": "maximum"`; `reason`, `error_code`, `limit`,
    ///   `linger_ms`.
    /// - `connections.mode`: `accept`, `refuse`, `reset`, `stall_handshake`.
    /// - `settings`: `{"delay_ms": n}` or `{"never": true}`.
    public init(json: [UInt8]) throws(MockAPNsError) {
        self.init()
        let root: JSONValue
        do {
            root = try JSONDocument(parsing: json).root
        } catch {
            throw MockAPNsError("the script is not JSON: \(error)")
        }
        let reader = try ScriptReader(root, place: "script")
        if let latency = try reader.object("latency") { self.latency = try MockLatency(latency) }
        for rule in try reader.objects("rules") { rules.append(try MockRule(rule)) }
        if let goAway = try reader.object("goaway") { self.goAway = try GoAway(goAway) }
        if let limit = try reader.object("stream_limit") { streamLimit = try StreamLimit(limit) }
        if let admission = try reader.object("connections") { connections = try Admission(admission) }
        if let settings = try reader.object("settings") { self.settings = try SettingsTiming(settings) }
        if let tokens = try reader.object("provider_tokens") { providerTokens = try ProviderTokens(tokens) }
        answersPings = try reader.bool("answers_pings") ?? answersPings
        omitsErrorBodies = try reader.bool("omits_error_bodies") ?? omitsErrorBodies
        // RFC 9113, section 6.5.2.
        initialWindowSize = try reader.uint32("initial_window_size", in: 0...0x7FFF_FFFF)
        maxFrameSize = try reader.uint32("max_frame_size", in: 16_384...16_777_215)
        headerTableSize = try reader.uint32("header_table_size", in: 0...65_536)
    }

    /// Reads a script file from a path.
    public init(file path: String) throws(MockAPNsError) {
        try self.init(json: File.read(path))
    }
}
