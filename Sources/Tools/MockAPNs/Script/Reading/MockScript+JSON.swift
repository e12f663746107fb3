import MockKit

extension MockScript: ServiceScript {
    enum Key: String, ConnectionScriptKey {
        case latency, rules
        case goAway = "goaway"
        case streamLimit = "stream_limit"
        case connections, settings
        case providerTokens = "provider_tokens"
        case channels
        case answersPings = "answers_pings"
        case omitsErrorBodies = "omits_error_bodies"
        case initialWindowSize = "initial_window_size"
        case maxFrameSize = "max_frame_size"
        case headerTableSize = "header_table_size"

        static let place = ""
    }

    /// Parses a script: a JSON object with the keys of `docs/mocks.md`. Missing keys have the values of `MockScript()`.
    ///
    /// Throws for a key that is unknown, repeated or without effect, and for a value of a wrong type or out of range.
    /// The error names the path and suggests the nearest known name.
    public init(json: [UInt8]) throws(MockError) {
        self.init()
        let script = try ScriptObject<Key>(script: json)
        connection = try ConnectionScript(script, APNsReasons.self)
        latency = try script.latency(.latency) ?? latency
        for rule in try script.objects(.rules, MockRule.Key.self) { rules.append(try MockRule(rule)) }
        if let tokens = try script.object(.providerTokens, ProviderTokens.Key.self) {
            providerTokens = try ProviderTokens(tokens)
        }
        if let channels = try script.object(.channels, Channels.Key.self) { self.channels = try Channels(channels) }
        omitsErrorBodies = try script.bool(.omitsErrorBodies) ?? omitsErrorBodies
    }

    /// Parses the script file at a path.
    public init(file path: String) throws(MockError) {
        try self.init(json: Self.text(ofFile: path))
    }

    /// Reads a file for `init(json:)`. The limit is 16 MiB.
    public static func text(ofFile path: String) throws(MockError) -> [UInt8] {
        try File.read(path)
    }

    /// The keys of every kind of object, by `ScriptKey.place`.
    static var keysByPlace: [String: [String]] {
        let own: [any ScriptKey.Type] = [Key.self, MockRule.Key.self, ProviderTokens.Key.self, Channels.Key.self]
        return (own + ConnectionScript.keys).reduce(into: [:]) { $0[$1.place] = $1.spellings }
    }
}
