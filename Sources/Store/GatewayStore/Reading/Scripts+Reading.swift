// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    struct CountStatesReply {
        let key: Int
        let count: Int

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let key = ScriptReply.int(parts[0]),
                let count = ScriptReply.int(parts[1])
            else { return nil }
            return Self(key: key, count: count)
        }
    }

    static let countStatesScript = RedisScript(
        name: "count-states", source: String(cString: store_script_count_states()),
        arity: RedisScriptArity(keys: .init(required: 0, group: 2), arguments: .init(required: 0, group: 1)))

    /// Counts the slots of some pages by state, so the pages need not be sent.
    static func countStates(
        pages: [String], ranges: [any RedisArgumentConvertible]
    ) -> ScriptCall<[CountStatesReply]> {
        ScriptCall(countStatesScript, pages, ranges, read: ScriptReply.array(CountStatesReply.read))
    }
}
