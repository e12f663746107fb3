// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    static let deleteSegmentScript = RedisScript(
        name: "delete-segment", source: String(cString: store_script_delete_segment()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 3)))

    /// Deletes a stored segment.
    static func deleteSegment(
        segment: String, names: String, cleanups: String, writer: some RedisArgumentConvertible,
        name: some RedisArgumentConvertible, now: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(deleteSegmentScript, [segment, names, cleanups], [writer, name, now], read: ScriptReply.flag)
    }

    enum InstallSegmentReply {
        case installed
        case raced
        case unknown
        case tooMany
        case takenOver

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .installed
            case 0: return .raced
            case -1: return .unknown
            case -2: return .tooMany
            case -3: return .takenOver
            default: return nil
            }
        }
    }

    static let installSegmentScript = RedisScript(
        name: "install-segment", source: String(cString: store_script_install_segment()),
        arity: RedisScriptArity(keys: .init(required: 3), arguments: .init(required: 7, group: 2)))

    /// Replaces the parts of a stored segment in one step.
    static func installSegment(
        segment: String, names: String, cleanups: String, writer: some RedisArgumentConvertible,
        name: some RedisArgumentConvertible, expected: some RedisArgumentConvertible,
        users: some RedisArgumentConvertible, now: some RedisArgumentConvertible,
        partitions: some RedisArgumentConvertible, replaces: some RedisArgumentConvertible,
        parts: [any RedisArgumentConvertible]
    ) -> ScriptCall<InstallSegmentReply> {
        ScriptCall(
            installSegmentScript, [segment, names, cleanups],
            [writer, name, expected, users, now, partitions, replaces] + parts, read: InstallSegmentReply.read)
    }

    static let takeOverSegmentCleanupScript = RedisScript(
        name: "take-over-segment-cleanup", source: String(cString: store_script_take_over_segment_cleanup()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Takes over a cleanup task `w` from a lost gateway.
    static func takeOverSegmentCleanup(
        cleanups: String, writer: some RedisArgumentConvertible, cleanup: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(takeOverSegmentCleanupScript, [cleanups], [writer, cleanup], read: ScriptReply.flag)
    }
}
