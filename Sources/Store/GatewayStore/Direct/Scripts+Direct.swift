// Written by scripts/store_scripts from the Lua files.
import CStoreScripts
import RedisClient

extension Scripts {
    enum BeginDirectReply {
        case declined
        case changed
        case begun(
            timestamp: Int, order: Int, updates: Int, priority: Int, createdAt: Int, startedAt: Int, endsAt: Int,
            idAttribute: String, tokens: [UInt8], statuses: [UInt8], requestsLeft: Int, freeAt: Int, label: String)

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 0: return .declined
            case 2: return .changed
            case 1:
                guard parts.count >= 14,
                    let timestamp = ScriptReply.int(parts[1]),
                    let order = ScriptReply.int(parts[2]),
                    let updates = ScriptReply.int(parts[3]),
                    let priority = ScriptReply.int(parts[4]),
                    let createdAt = ScriptReply.int(parts[5]),
                    let startedAt = ScriptReply.int(parts[6]),
                    let endsAt = ScriptReply.int(parts[7]),
                    let idAttribute = ScriptReply.text(parts[8]),
                    let tokens = ScriptReply.bytes(parts[9]),
                    let statuses = ScriptReply.bytes(parts[10]),
                    let requestsLeft = ScriptReply.int(parts[11]),
                    let freeAt = ScriptReply.int(parts[12]),
                    let label = ScriptReply.text(parts[13])
                else { return nil }
                return .begun(
                    timestamp: timestamp, order: order, updates: updates, priority: priority, createdAt: createdAt,
                    startedAt: startedAt, endsAt: endsAt, idAttribute: idAttribute, tokens: tokens, statuses: statuses,
                    requestsLeft: requestsLeft, freeAt: freeAt, label: label)
            default: return nil
            }
        }
    }

    static let beginDirectScript = RedisScript(
        name: "begin-direct", source: String(cString: store_script_begin_direct()),
        arity: RedisScriptArity(keys: .init(required: 3, optional: 4), arguments: .init(required: 26, group: 2)))

    /// The one atomic step of an update to few devices that its gateway sends at once.
    static func beginDirect(
        activity: String, direct: String, broadcast: String, updatePage: String? = nil, statusPage: String? = nil,
        credential: String? = nil, rateWindow: String? = nil, id: some RedisArgumentConvertible,
        packedID: some RedisArgumentConvertible, mayBeKnown: some RedisArgumentConvertible,
        activityID: some RedisArgumentConvertible, tenant: some RedisArgumentConvertible,
        typeName: some RedisArgumentConvertible, slots: some RedisArgumentConvertible,
        now: some RedisArgumentConvertible, heldUntil: some RedisArgumentConvertible,
        arrived: some RedisArgumentConvertible, notedAs: some RedisArgumentConvertible,
        hold: some RedisArgumentConvertible, part: some RedisArgumentConvertible,
        payloadBefore: some RedisArgumentConvertible, payloadAfter: some RedisArgumentConvertible,
        digest: some RedisArgumentConvertible, interval: some RedisArgumentConvertible,
        givenPriority: some RedisArgumentConvertible, budget: some RedisArgumentConvertible,
        givenExpiration: some RedisArgumentConvertible, devices: some RedisArgumentConvertible,
        tier: some RedisArgumentConvertible, limits: some RedisArgumentConvertible, rate: some RedisArgumentConvertible,
        window: some RedisArgumentConvertible, known: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<BeginDirectReply> {
        var hint = 272
        hint += activity.redisByteCountHint
        hint += direct.redisByteCountHint
        hint += broadcast.redisByteCountHint
        hint += updatePage?.redisByteCountHint ?? 0
        hint += statusPage?.redisByteCountHint ?? 0
        hint += credential?.redisByteCountHint ?? 0
        hint += rateWindow?.redisByteCountHint ?? 0
        hint += id.redisByteCountHint
        hint += packedID.redisByteCountHint
        hint += mayBeKnown.redisByteCountHint
        hint += activityID.redisByteCountHint
        hint += tenant.redisByteCountHint
        hint += typeName.redisByteCountHint
        hint += slots.redisByteCountHint
        hint += now.redisByteCountHint
        hint += heldUntil.redisByteCountHint
        hint += arrived.redisByteCountHint
        hint += notedAs.redisByteCountHint
        hint += hold.redisByteCountHint
        hint += part.redisByteCountHint
        hint += payloadBefore.redisByteCountHint
        hint += payloadAfter.redisByteCountHint
        hint += digest.redisByteCountHint
        hint += interval.redisByteCountHint
        hint += givenPriority.redisByteCountHint
        hint += budget.redisByteCountHint
        hint += givenExpiration.redisByteCountHint
        hint += devices.redisByteCountHint
        hint += tier.redisByteCountHint
        hint += limits.redisByteCountHint
        hint += rate.redisByteCountHint
        hint += window.redisByteCountHint
        hint += known.redisByteCountHint
        hint += fields.reduce(0) { $0 + $1.redisByteCountHint + 8 }
        var call = RedisScriptCall(
            beginDirectScript,
            keyCount: 3 + (updatePage == nil ? 0 : 1) + (statusPage == nil ? 0 : 1) + (credential == nil ? 0 : 1)
                + (rateWindow == nil ? 0 : 1), byteCountHint: hint)
        call.append(activity)
        call.append(direct)
        call.append(broadcast)
        if let updatePage { call.append(updatePage) }
        if let statusPage { call.append(statusPage) }
        if let credential { call.append(credential) }
        if let rateWindow { call.append(rateWindow) }
        call.append(id)
        call.append(packedID)
        call.append(mayBeKnown)
        call.append(activityID)
        call.append(tenant)
        call.append(typeName)
        call.append(slots)
        call.append(now)
        call.append(heldUntil)
        call.append(arrived)
        call.append(notedAs)
        call.append(hold)
        call.append(part)
        call.append(payloadBefore)
        call.append(payloadAfter)
        call.append(digest)
        call.append(interval)
        call.append(givenPriority)
        call.append(budget)
        call.append(givenExpiration)
        call.append(devices)
        call.append(tier)
        call.append(limits)
        call.append(rate)
        call.append(window)
        call.append(known)
        for value in fields { call.append(value) }
        return ScriptCall(beginDirectScript, (consume call).finish(), read: BeginDirectReply.read)
    }

    enum FinishDirectReply {
        case written
        case lost
        case needsFields

        static func read(_ reply: RedisValue) -> Self? {
            let parts = reply.array ?? [reply]
            switch parts.first?.int {
            case 1: return .written
            case 0: return .lost
            case 2: return .needsFields
            default: return nil
            }
        }
    }

    static let finishDirectScript = RedisScript(
        name: "finish-direct", source: String(cString: store_script_finish_direct()),
        arity: RedisScriptArity(keys: .init(required: 7), arguments: .init(required: 8, group: 2)))

    /// Writes the end of an update that its gateway has sent at once.
    static func finishDirect(
        direct: String, broadcast: String, openBroadcasts: String, unfinished: String, activity: String, owners: String,
        counts: String, activityID: some RedisArgumentConvertible, id: some RedisArgumentConvertible,
        hold: some RedisArgumentConvertible, order: some RedisArgumentConvertible,
        member: some RedisArgumentConvertible, hasFailed: some RedisArgumentConvertible,
        packedID: some RedisArgumentConvertible, ended: some RedisArgumentConvertible,
        fields: [any RedisArgumentConvertible]
    ) -> ScriptCall<FinishDirectReply> {
        var hint = 128
        hint += direct.redisByteCountHint
        hint += broadcast.redisByteCountHint
        hint += openBroadcasts.redisByteCountHint
        hint += unfinished.redisByteCountHint
        hint += activity.redisByteCountHint
        hint += owners.redisByteCountHint
        hint += counts.redisByteCountHint
        hint += activityID.redisByteCountHint
        hint += id.redisByteCountHint
        hint += hold.redisByteCountHint
        hint += order.redisByteCountHint
        hint += member.redisByteCountHint
        hint += hasFailed.redisByteCountHint
        hint += packedID.redisByteCountHint
        hint += ended.redisByteCountHint
        hint += fields.reduce(0) { $0 + $1.redisByteCountHint + 8 }
        var call = RedisScriptCall(finishDirectScript, keyCount: 7, byteCountHint: hint)
        call.append(direct)
        call.append(broadcast)
        call.append(openBroadcasts)
        call.append(unfinished)
        call.append(activity)
        call.append(owners)
        call.append(counts)
        call.append(activityID)
        call.append(id)
        call.append(hold)
        call.append(order)
        call.append(member)
        call.append(hasFailed)
        call.append(packedID)
        call.append(ended)
        for value in fields { call.append(value) }
        return ScriptCall(finishDirectScript, (consume call).finish(), read: FinishDirectReply.read)
    }

    static let renewDirectScript = RedisScript(
        name: "renew-direct", source: String(cString: store_script_renew_direct()),
        arity: RedisScriptArity(keys: .init(required: 5), arguments: .init(required: 2, group: 2)))

    /// Extends the holds of a gateway on updates that it sends at once.
    static func renewDirect(
        direct: String, smallJobs: String, unfinished: String, owners: String, counts: String,
        prefix: some RedisArgumentConvertible, heldUntil: some RedisArgumentConvertible,
        holds: [any RedisArgumentConvertible]
    ) -> ScriptCall<[String]> {
        ScriptCall(
            renewDirectScript, [direct, smallJobs, unfinished, owners, counts], [prefix, heldUntil] + holds,
            read: ScriptReply.array(ScriptReply.text))
    }

    static let showDirectScript = RedisScript(
        name: "show-direct", source: String(cString: store_script_show_direct()),
        arity: RedisScriptArity(keys: .init(required: 5), arguments: .init(required: 1)))

    /// Gives an activity's update that is being sent at once its record and its place among the open
    /// broadcasts.
    static func showDirect(
        direct: String, activity: String, unfinished: String, owners: String, counts: String,
        activityID: some RedisArgumentConvertible
    ) -> ScriptCall<Bool> {
        ScriptCall(
            showDirectScript, [direct, activity, unfinished, owners, counts], [activityID], read: ScriptReply.flag)
    }
}
