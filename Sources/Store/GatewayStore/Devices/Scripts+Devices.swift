// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    enum ClaimTokenReply {
        case owned(formers: [[UInt8]])
        case lost
        case full

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1:
                guard parts.count >= 2,
                    let formers = ScriptReply.array(ScriptReply.bytes)(parts[1])
                else { return nil }
                return .owned(formers: formers)
            case -1: return .lost
            case -2: return .full
            default: return nil
            }
        }
    }

    static let claimTokenScript = RedisScript(
        name: "claim-token", source: String(cString: store_script_claim_token()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Makes the reporting device the owner of a token, unless another device has reported the token later.
    static func claimToken(
        bucket: String, field: some RedisArgumentConvertible, owner: some RedisArgumentConvertible,
        time: some RedisArgumentConvertible, capacity: some RedisArgumentConvertible
    ) -> ScriptCall<ClaimTokenReply> {
        ScriptCall(claimTokenScript, [bucket], [field, owner, time, capacity], read: ClaimTokenReply.read)
    }

    enum ClaimTokensReply {
        case undisputed
        case disputed(formers: [[[UInt8]]], lost: [Int], full: [Int])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .undisputed
            case 0:
                guard parts.count >= 4,
                    let formers = ScriptReply.array(ScriptReply.array(ScriptReply.bytes))(parts[1]),
                    let lost = ScriptReply.array(ScriptReply.int)(parts[2]),
                    let full = ScriptReply.array(ScriptReply.int)(parts[3])
                else { return nil }
                return .disputed(formers: formers, lost: lost, full: full)
            default: return nil
            }
        }
    }

    static let claimTokensScript = RedisScript(
        name: "claim-tokens", source: String(cString: store_script_claim_tokens()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1, group: 2)))

    /// Claims tokens of one bucket that were reported at the same time: see claim-token.
    static func claimTokens(
        bucket: String, capacity: some RedisArgumentConvertible, tokens: [RedisArguments.Part]
    ) -> ScriptCall<ClaimTokensReply> {
        var hint = 24
        hint += bucket.redisByteCountHint
        hint += capacity.redisByteCountHint
        hint += tokens.redisByteCountHint
        var call = RedisScriptCall(claimTokensScript, keyCount: 1, byteCountHint: hint)
        call.append(bucket)
        call.append(capacity)
        call.append(tokens)
        return ScriptCall(claimTokensScript, (consume call).finish(), read: ClaimTokensReply.read)
    }

    static let dropTokenScript = RedisScript(
        name: "drop-token", source: String(cString: store_script_drop_token()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2, group: 1)))

    /// Deletes the fields that hold a token with a report time (six bytes, little-endian) up to a limit.
    static func dropToken(
        user: String, latest: some RedisArgumentConvertible, token: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<Int> {
        ScriptCall(dropTokenScript, [user], [latest, token] + fields, read: ScriptReply.int)
    }

    struct ImportDevicesReply {
        let left: [Int]
        let same: [Int]

        static func read(_ reply: RedisValue) -> Self? {
            guard let parts = reply.array else { return nil }
            guard parts.count >= 2,
                let left = ScriptReply.array(ScriptReply.int)(parts[0]),
                let same = ScriptReply.array(ScriptReply.int)(parts[1])
            else { return nil }
            return Self(left: left, same: same)
        }
    }

    static let importDevicesScript = RedisScript(
        name: "import-devices", source: String(cString: store_script_import_devices()),
        arity: RedisScriptArity(keys: .init(required: 2, group: 1), arguments: .init(required: 1, group: 4)))

    /// Writes devices of an import.
    static func importDevices(
        topics: String, erasing: String, users: [RedisArguments.Part], asks: some RedisArgumentConvertible,
        devices: [RedisArguments.Part]
    ) -> ScriptCall<ImportDevicesReply> {
        var hint = 40
        hint += topics.redisByteCountHint
        hint += erasing.redisByteCountHint
        hint += users.redisByteCountHint
        hint += asks.redisByteCountHint
        hint += devices.redisByteCountHint
        var call = RedisScriptCall(importDevicesScript, keyCount: 2 + users.argumentCount, byteCountHint: hint)
        call.append(topics)
        call.append(erasing)
        call.append(users)
        call.append(asks)
        call.append(devices)
        return ScriptCall(importDevicesScript, (consume call).finish(), read: ImportDevicesReply.read)
    }

    static let markReachedScript = RedisScript(
        name: "mark-reached", source: String(cString: store_script_mark_reached()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1)))

    /// Records that a push has reached a device: see `DeviceRecord`.
    static func markReached(
        user: String, field: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(markReachedScript, [user], [field], read: ScriptReply.flag)
    }

    enum MarkTokenReply {
        case unmarked
        case marked
        case member(user: [RedisField])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .unmarked
            case 1: return .marked
            case 2:
                guard parts.count >= 2,
                    let user = ScriptReply.fields(parts[1])
                else { return nil }
                return .member(user: user)
            default: return nil
            }
        }
    }

    static let markTokenScript = RedisScript(
        name: "mark-token", source: String(cString: store_script_mark_token()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 4)))

    /// Marks a device's token, under any activity type, so that it is not pushed to: see `UserRecord.Token`.
    static func markToken(
        user: String, number: some RedisArgumentConvertible, token: some RedisArgumentConvertible,
        latest: some RedisArgumentConvertible, mark: some RedisArgumentConvertible
    ) -> ScriptCall<MarkTokenReply> {
        ScriptCall(markTokenScript, [user], [number, token, latest, mark], read: MarkTokenReply.read)
    }

    static let noteHandOverScript = RedisScript(
        name: "note-hand-over", source: String(cString: store_script_note_hand_over()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 1, group: 2)))

    /// Records the Live Activities of another login that a device's phone may show, see `UserRecord.HandOver`.
    static func noteHandOver(
        user: String, device: some RedisArgumentConvertible, entries: [any RedisArgumentConvertible]
    ) -> ScriptCall<Bool> {
        ScriptCall(noteHandOverScript, [user], [device] + entries, read: ScriptReply.flag)
    }

    enum PutDeviceReply {
        case outdated
        case erased
        case mayNotMakeDevice
        case mayNotMakeUser
        case needsEviction
        case needsDrop
        case tooOld
        case unchanged
        case changed
        case madeDevice
        case madeUser
        case unfinished(madeDevice: Bool, madeUser: Bool, replaced: [[UInt8]], user: [RedisField])

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case -2: return .outdated
            case -3: return .erased
            case -4: return .mayNotMakeDevice
            case -5: return .mayNotMakeUser
            case -6: return .needsEviction
            case -7: return .needsDrop
            case -8: return .tooOld
            case 0: return .unchanged
            case 1: return .changed
            case 2: return .madeDevice
            case 3: return .madeUser
            case 4:
                guard parts.count >= 5,
                    let madeDevice = ScriptReply.flag(parts[1]),
                    let madeUser = ScriptReply.flag(parts[2]),
                    let replaced = ScriptReply.array(ScriptReply.bytes)(parts[3]),
                    let user = ScriptReply.fields(parts[4])
                else { return nil }
                return .unfinished(madeDevice: madeDevice, madeUser: madeUser, replaced: replaced, user: user)
            default: return nil
            }
        }
    }

    static let putDeviceScript = RedisScript(
        name: "put-device", source: String(cString: store_script_put_device()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 8)))

    /// Writes a report of a device, of a push-to-start token, or of both, each unless a later report is stored.
    static func putDevice(
        user: String, field: some RedisArgumentConvertible, record: some RedisArgumentConvertible,
        type: some RedisArgumentConvertible, token: some RedisArgumentConvertible, time: some RedisArgumentConvertible,
        may: some RedisArgumentConvertible, most: some RedisArgumentConvertible, life: some RedisArgumentConvertible
    ) -> ScriptCall<PutDeviceReply> {
        ScriptCall(
            putDeviceScript, [user], [field, record, type, token, time, may, most, life], read: PutDeviceReply.read)
    }

    static let releaseTokenScript = RedisScript(
        name: "release-token", source: String(cString: store_script_release_token()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 3)))

    /// Removes the owner of a token from its entry.
    static func releaseToken(
        bucket: String, field: some RedisArgumentConvertible, latest: some RedisArgumentConvertible,
        by: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(releaseTokenScript, [bucket], [field, latest, by], read: ScriptReply.flag)
    }

    static let settleTokenScript = RedisScript(
        name: "settle-token", source: String(cString: store_script_settle_token()),
        arity: RedisScriptArity(keys: .init(required: 1), arguments: .init(required: 2)))

    /// Removes a former owner from a token's entry, because its device has been marked.
    static func settleToken(
        bucket: String, field: some RedisArgumentConvertible, former: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(settleTokenScript, [bucket], [field, former], read: ScriptReply.flag)
    }
}
