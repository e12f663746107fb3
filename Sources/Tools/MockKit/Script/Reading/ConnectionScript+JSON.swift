/// The keys that every script has: those of `ConnectionScript`, and the latency.
package protocol ConnectionScriptKey: ScriptKey {
    static var latency: Self { get }
    static var goAway: Self { get }
    static var streamLimit: Self { get }
    static var connections: Self { get }
    static var settings: Self { get }
    static var answersPings: Self { get }
    static var initialWindowSize: Self { get }
    static var maxFrameSize: Self { get }
    static var headerTableSize: Self { get }
}

extension ConnectionScript {
    /// Reads the members for connections.
    package init<Key: ConnectionScriptKey, Reasons: ScriptReasons>(
        _ script: ScriptObject<Key>, _ reasons: Reasons.Type
    ) throws(MockError) {
        self.init()
        if let goAway = try script.object(.goAway, GoAway.Key.self) { self.goAway = try GoAway(goAway, reasons) }
        if let limit = try script.object(.streamLimit, StreamLimit.Key.self) { streamLimit = try StreamLimit(limit) }
        if let mode = try script.object(.connections, Admission.Key.self) { connections = try Admission(mode) }
        if let timing = try script.object(.settings, SettingsTiming.Key.self) { settings = try SettingsTiming(timing) }
        answersPings = try script.bool(.answersPings) ?? answersPings
        // RFC 9113, section 6.5.2.
        initialWindowSize = try script.uint32(.initialWindowSize, in: 0...0x7FFF_FFFF)
        maxFrameSize = try script.uint32(.maxFrameSize, in: 16_384...16_777_215)
        headerTableSize = try script.uint32(.headerTableSize, in: 0...65_536)
    }

    /// The keys of every kind of object below these members.
    package static let keys: [any ScriptKey.Type] = [
        MockLatency.Key.self, MockLatency.Percentile.Key.self, GoAway.Key.self, StreamLimit.Key.self,
        StreamLimit.Change.Key.self, Admission.Key.self, SettingsTiming.Key.self,
    ]
}

extension ScriptObject {
    package func latency(_ key: Key) throws(MockError) -> MockLatency? {
        guard let latency = try object(key, MockLatency.Key.self) else { return nil }
        return try MockLatency(latency)
    }
}
