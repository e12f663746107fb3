extension MockScript {
    enum Key: String, ScriptKey {
        case latency, rules
        case goAway = "goaway"
        case streamLimit = "stream_limit"
        case connections, settings
        case providerTokens = "provider_tokens"
        case answersPings = "answers_pings"
        case omitsErrorBodies = "omits_error_bodies"
        case initialWindowSize = "initial_window_size"
        case maxFrameSize = "max_frame_size"
        case headerTableSize = "header_table_size"

        static let place = ""
    }

    /// Reads a script: a JSON object, whose keys `docs/mocks.md` describes. What is left out is as in `MockScript()`.
    ///
    /// Throws when anything in it is unknown, stands twice, is of another type or out of its range, or would change
    /// nothing where it stands. The error names the path, and what may have been meant.
    public init(json: [UInt8]) throws(MockAPNsError) {
        self.init()
        let script = try ScriptObject<Key>(script: json)
        if let latency = try script.object(.latency, MockLatency.Key.self) { self.latency = try MockLatency(latency) }
        for rule in try script.objects(.rules, MockRule.Key.self) { rules.append(try MockRule(rule)) }
        if let goAway = try script.object(.goAway, GoAway.Key.self) { self.goAway = try GoAway(goAway) }
        if let limit = try script.object(.streamLimit, StreamLimit.Key.self) { streamLimit = try StreamLimit(limit) }
        if let mode = try script.object(.connections, Admission.Key.self) { connections = try Admission(mode) }
        if let timing = try script.object(.settings, SettingsTiming.Key.self) { settings = try SettingsTiming(timing) }
        if let tokens = try script.object(.providerTokens, ProviderTokens.Key.self) {
            providerTokens = try ProviderTokens(tokens)
        }
        answersPings = try script.bool(.answersPings) ?? answersPings
        omitsErrorBodies = try script.bool(.omitsErrorBodies) ?? omitsErrorBodies
        // RFC 9113, section 6.5.2.
        initialWindowSize = try script.uint32(.initialWindowSize, in: 0...0x7FFF_FFFF)
        maxFrameSize = try script.uint32(.maxFrameSize, in: 16_384...16_777_215)
        headerTableSize = try script.uint32(.headerTableSize, in: 0...65_536)
    }

    /// Reads a script file from a path.
    public init(file path: String) throws(MockAPNsError) {
        try self.init(json: Self.text(ofFile: path))
    }

    /// The content of a file for `init(json:)`. At most 16 MiB.
    public static func text(ofFile path: String) throws(MockAPNsError) -> [UInt8] {
        try File.read(path)
    }

    /// Every kind of object that a script may have, by where it stands, with its keys.
    static var keysByPlace: [String: [String]] {
        let kinds: [any ScriptKey.Type] = [
            Key.self, MockLatency.Key.self, MockLatency.Percentile.Key.self, MockRule.Key.self, GoAway.Key.self,
            StreamLimit.Key.self, StreamLimit.Change.Key.self, Admission.Key.self, SettingsTiming.Key.self,
            ProviderTokens.Key.self,
        ]
        return kinds.reduce(into: [:]) { $0[$1.place] = $1.spellings }
    }
}
