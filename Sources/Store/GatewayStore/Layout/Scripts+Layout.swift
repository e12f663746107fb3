// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let deleteFieldScript = ScriptLibrary.embedded["delete-field"]
    /// See `Lua/delete-field.lua`.
    static func deleteField(
        hash: String, field: some RedisArgumentConvertible, value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(deleteFieldScript, [hash], [field, value], read: ScriptReply.flag)
    }
}
