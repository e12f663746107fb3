public import MockKit

extension MockFCM.Script: ServiceScript {
    enum Key: String, ConnectionScriptKey {
        case latency, rules
        case tokenRules = "token_rules"
        case accessTokens = "access_tokens"
        case quota, devices
        case malformedTokens = "malformed_tokens"
        case deniedProjects = "denied_projects"
        case goAway = "goaway"
        case streamLimit = "stream_limit"
        case connections, settings
        case answersPings = "answers_pings"
        case omitsErrorBodies = "omits_error_bodies"
        case initialWindowSize = "initial_window_size"
        case maxFrameSize = "max_frame_size"
        case headerTableSize = "header_table_size"

        static let place = ""
    }

    /// Parses a script: a JSON object with the keys of `docs/mocks.md`. Missing keys have the values of `Script()`.
    ///
    /// Throws for a key that is unknown, repeated or without effect, and for a value of a wrong type or out of range.
    /// The error names the path and suggests the nearest known name.
    public init(json: [UInt8]) throws(MockError) {
        self.init()
        let script = try ScriptObject<Key>(script: json)
        connection = try ConnectionScript(script, AnyReason.self)
        latency = try script.latency(.latency) ?? latency
        for rule in try script.objects(.rules, MessageRuleKey.self) { rules.append(try MockFCM.MessageRule(rule)) }
        for rule in try script.objects(.tokenRules, TokenRuleKey.self) {
            tokenRules.append(try MockFCM.TokenRule(rule))
        }
        if let tokens = try script.object(.accessTokens, MockFCM.AccessTokenScript.Key.self) {
            accessTokens = try MockFCM.AccessTokenScript(tokens)
        }
        if let quota = try script.object(.quota, MockFCM.Quota.Key.self) { self.quota = try MockFCM.Quota(quota) }
        if let limits = try script.object(.devices, MockFCM.DeviceLimits.Key.self) {
            devices = try MockFCM.DeviceLimits(limits)
        }
        if let tokens = try script.object(.malformedTokens, MockFCM.MalformedTokens.Key.self) {
            malformedTokens = try MockFCM.MalformedTokens(tokens)
        }
        deniedProjects = Set(try script.strings(.deniedProjects, each: "a project's id") { !$0.isEmpty } ?? [])
        omitsErrorBodies = try script.bool(.omitsErrorBodies) ?? omitsErrorBodies
    }

    /// Reads a file for `init(json:)`. The limit is 16 MiB.
    public static func text(ofFile path: String) throws(MockError) -> [UInt8] {
        try File.read(path)
    }

    /// The keys of every kind of object, by `ScriptKey.place`.
    static var keysByPlace: [String: [String]] {
        let own: [any ScriptKey.Type] = [
            Key.self, MessageRuleKey.self, TokenRuleKey.self, MockFCM.AccessTokenScript.Key.self,
            MockFCM.Quota.Key.self, MockFCM.DeviceLimits.Key.self, MockFCM.MalformedTokens.Key.self,
        ]
        return (own + ConnectionScript.keys).reduce(into: [:]) { $0[$1.place] = $1.spellings }
    }
}

/// The reasons of a GOAWAY, which are any text.
enum AnyReason: ScriptReasons {
    static let all: [String]? = nil
    static let title = "any text"
}
