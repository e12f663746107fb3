// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let leaseScript = RedisScript(
        name: "lease", source: String(cString: store_script_lease()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Acquires, renews or releases a lease.
    static func lease(
        lease: String, holder: some RedisArgumentConvertible, lifetime: some RedisArgumentConvertible,
        only: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(leaseScript, [lease], [holder, lifetime, only], read: ScriptReply.flag)
    }
}
