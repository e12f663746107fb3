// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let deleteFieldScript = RedisScript(
        name: "delete-field", source: String(cString: store_script_delete_field()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Deletes a field of a hash if it still has the value that was read.
    static func deleteField(
        hash: String, field: some RedisArgumentConvertible, value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(deleteFieldScript, [hash], [field, value], read: ScriptReply.flag)
    }
}
