// Written by scripts/store_scripts.py from the heads of the Lua files.
import RedisClient

extension Scripts {
    static let deleteFieldScript = ScriptLibrary.embedded["delete-field"]
    /// Deletes a field of a hash if it still has the value that was read.
    static func deleteField(
        hash: String, field: some RedisArgumentConvertible, value: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(deleteFieldScript, [hash], [field, value], read: ScriptReply.flag)
    }
}
