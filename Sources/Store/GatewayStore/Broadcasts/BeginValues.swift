import Delivery
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

/// The values with which the scripts `begin-start`, `begin-update` and `begin-end` record a draft.
struct BeginValues {
    let draft: BroadcastDraft
    let now: WallTime
    private let activity: Activity
    private let payload: (before: [UInt8], after: [UInt8])
    private let store: StoredBroadcasts
    /// The name of the caller's hold; nil if it cannot hold the job.
    private let hold: String?
    private var context: StoreContext { store.context }
    /// The number of addressed slots, '' for the whole segment.
    private var addressed = ""
    private var scope: [UInt8] = []
    private var kinds = [RouteKind.apns]
    /// Names and values of the record that no script reads.
    private var fields: [any RedisArgumentConvertible]

    /// - Parameter payload: The content, sealed or up to its timestamp and after it.
    init(
        _ draft: BroadcastDraft, _ activity: Activity, recordsEvents: Bool, payload: (before: [UInt8], after: [UInt8]),
        hold: String? = nil, by store: StoredBroadcasts
    ) {
        (self.draft, self.activity, self.payload, self.store) = (draft, activity, payload, store)
        self.hold = hold
        now = store.wallClock()
        fields = ["expiration", draft.expiration, "activity", activity.id.description]
        for text in draft.origin.fields { fields.append(text) }
        if !draft.skipped.isEmpty { fields += ["skipped_before", BroadcastCounts(skipped: draft.skipped).skippedText] }
        if draft.covered > 0 { fields += ["covered", draft.covered] as [any RedisArgumentConvertible] }
        if recordsEvents { fields += ["events", "1"] }
        if draft.kind == .end { fields += ["reason", Int(draft.endReason.rawValue)] }
        if draft.kind != .update { fields += ["priority", draft.priority ?? 10] as [any RedisArgumentConvertible] }
        if let schedule = draft.schedule {
            fields += ["schedule", schedule.id.description, "schedule_name", schedule.name ?? ""]
        }
        if case .slots(let slots) = draft.scope {
            (addressed, scope) = ("\(slots.count)", SlotList.encode(slots))
            let pages = SlotList.pages(slots)
            let partitions = RosterGeometry.partitions(ofPages: pages).map(String.init).joined(separator: ",")
            fields += ["parts", partitions]
            if !pages.isEmpty { kinds = RosterGeometry.kinds(ofPages: pages) }
        }
    }

    private var shard: Int { Keys.shard(activity.id) }
    private var listParts: String { kinds.map { JobTicket.Part.list($0).description }.joined(separator: ",") }
    private var interval: Int { Int(context.rules.minimumInterval.millisecondsRoundedUp) }
    private var topic: String? { draft.topic.map { Keys.topic($0.lease.topic) } }

    private var schedule: String {
        draft.schedule.map { "\($0.version):\($0.id):\($0.name ?? "")" } ?? ""
    }

    private var topicPart: String {
        func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }
        return draft.topic.map { "\($0.lease.token):\(text($0.version)):\(text($0.joined)):\(text($0.life))" } ?? ""
    }

    private var digest: [UInt8] {
        ContentDigest.bytes(of: draft.payload, in: activity.id, tenantID: activity.tenantID, sealer: context.sealer)
    }

    /// The latest time at which the content can have arrived, and the one to compare others with, in epoch
    /// milliseconds. Nil for content whose arrival is recorded, for example that of a healing start.
    private var arrival: (latest: Int64, noted: Int64)? {
        let bounds = context.clockBounds()
        let arrived = draft.arrived ?? (draft.kind == .update || draft.isFirstStart ? bounds.latest : nil)
        return arrived.map { ($0.milliseconds, min($0, bounds.earliest).milliseconds) }
    }

    var start: ScriptCall<Scripts.BeginStartReply> {
        let isFirst = draft.isFirstStart
        let lock = draft.restartLock == nil ? Keys.startLock(activity.id) : Keys.restartLock(activity.id)
        return Scripts.beginStart(
            activity: Keys.activity(activity.id), broadcast: Keys.broadcast(activity.id, draft.id), lock: lock,
            openBroadcasts: Keys.openBroadcasts(activity.id), unfinished: Keys.unfinished(shard),
            owners: Keys.unfinishedOwners(shard), counts: Keys.unfinishedCounts(shard),
            smallJobs: Keys.jobs(shard, .small), firstJobs: Keys.jobs(shard, .first), due: Keys.due(shard),
            topic: topic, id: draft.id.description, packedID: draft.id.bytes,
            activityID: activity.id.description, expectedState: Int(activity.state.rawValue), now: now.milliseconds,
            keptUntil: activity.keptUntil.milliseconds, payloadBefore: payload.before, payloadAfter: payload.after,
            addressed: addressed, scope: scope, listParts: listParts, schedule: schedule,
            nextDue: isFirst ? "\(store.nextDue(draft.changed(activity, at: now)))" : "",
            restart: draft.restartLock?.token ?? "", interval: interval, channels: isFirst ? draft.channels.text : "",
            topicPart: topicPart, digest: digest, notedAs: arrival.map { "\($0.noted)" } ?? "", fields: fields)
    }

    private var heldUntil: String { hold.map { "\((now + StoredHeldJobs.holdLength).milliseconds) \($0)" } ?? "" }

    var update: ScriptCall<Scripts.BeginUpdateReply> {
        Scripts.beginUpdate(
            activity: Keys.activity(activity.id), broadcast: Keys.broadcast(activity.id, draft.id),
            openBroadcasts: Keys.openBroadcasts(activity.id), unfinished: Keys.unfinished(shard),
            owners: Keys.unfinishedOwners(shard), counts: Keys.unfinishedCounts(shard),
            smallJobs: Keys.jobs(shard, .small), updateJobs: Keys.jobs(shard, .updates), due: Keys.due(shard),
            held: Keys.heldJobs(shard), topic: topic, id: draft.id.description, hold: heldUntil,
            activityID: activity.id.description, expectedState: Int(activity.state.rawValue), now: now.milliseconds,
            keptUntil: activity.keptUntil.milliseconds, payloadBefore: payload.before, payloadAfter: payload.after,
            addressed: addressed, scope: scope, listParts: listParts, mostOpen: draft.mostOpen, schedule: schedule,
            interval: interval, topicPart: topicPart, digest: digest,
            skipsUnchanged: draft.skipsUnchanged ? "1" : "",
            arrival: arrival.map { "\($0.latest):\($0.noted)" } ?? "",
            urgency: draft.priority.map { "\($0)" } ?? ":\(context.rules.updateBudget)", fields: fields)
    }

    var end: ScriptCall<Scripts.BeginEndReply> {
        Scripts.beginEnd(
            activity: Keys.activity(activity.id), broadcast: Keys.broadcast(activity.id, draft.id),
            openBroadcasts: Keys.openBroadcasts(activity.id), unfinished: Keys.unfinished(shard),
            owners: Keys.unfinishedOwners(shard), counts: Keys.unfinishedCounts(shard),
            smallJobs: Keys.jobs(shard, .small), firstJobs: Keys.jobs(shard, .first), due: Keys.due(shard),
            topic: topic, id: draft.id.description, packedID: draft.id.bytes,
            activityID: activity.id.description, expectedState: Int(activity.state.rawValue), now: now.milliseconds,
            keptUntil: activity.keptUntil.milliseconds, payloadBefore: payload.before, payloadAfter: payload.after,
            addressed: addressed, scope: scope, listParts: listParts, mostOpen: draft.mostOpen, schedule: schedule,
            interval: interval, topicPart: topicPart, reason: Int(draft.endReason.rawValue), fields: fields)
    }
}

/// The result of a script that begins a broadcast.
enum Begun {
    case recorded(Recorded)
    case doneBefore
    case notDue
    case unchanged(updates: Int)
    case crowded
    case late(slots: [UInt8], others: Int)
    case refused(reason: String)

    struct Recorded {
        var timestamp: Int
        var order: Int
        var slots: [UInt8]
        var updates = 0
        /// Ids of superseded broadcasts, and of older updates to target lists, separated by commas.
        var superseded = ""
        var lists = ""
        /// The time from which the broadcast may leave.
        var leaves = WallTime(milliseconds: 0)
        var channels = ""
        var follows = ""
        var isAfterStart = false
        var isHeld = false
        var priority: Int
    }

    init(_ reply: Scripts.BeginStartReply, _ draft: BroadcastDraft) {
        switch reply {
        case .recorded(let timestamp, let order, let slots, let follows):
            self = .recorded(
                Recorded(
                    timestamp: timestamp, order: order, slots: slots, follows: follows,
                    priority: draft.priority ?? 10))
        case .doneBefore: self = .doneBefore
        case .notDue: self = .notDue
        case .refused(let reason): self = .refused(reason: reason)
        }
    }

    init(_ reply: Scripts.BeginUpdateReply) {
        switch reply {
        case .recorded(
            let timestamp, let order, let slots, let updates, let superseded, let lists, let leave, let channels,
            let isAfterStart, let priority, let isHeld):
            self = .recorded(
                Recorded(
                    timestamp: timestamp, order: order, slots: slots, updates: updates, superseded: superseded,
                    lists: lists, leaves: WallTime(milliseconds: Int64(leave)), channels: channels,
                    isAfterStart: isAfterStart, isHeld: isHeld, priority: priority))
        case .doneBefore: self = .doneBefore
        case .notDue: self = .notDue
        case .unchanged(let updates): self = .unchanged(updates: updates)
        case .crowded: self = .crowded
        case .late(let slots, let others): self = .late(slots: slots, others: others)
        case .refused(let reason): self = .refused(reason: reason)
        }
    }

    init(_ reply: Scripts.BeginEndReply, _ draft: BroadcastDraft, at now: WallTime) {
        switch reply {
        case .recorded(let timestamp, let order, let slots, let superseded, let lists, let channels):
            self = .recorded(
                Recorded(
                    timestamp: timestamp, order: order, slots: slots, superseded: superseded, lists: lists,
                    leaves: now, channels: channels, priority: draft.priority ?? 10))
        case .doneBefore: self = .doneBefore
        case .notDue: self = .notDue
        case .crowded: self = .crowded
        case .refused(let reason): self = .refused(reason: reason)
        }
    }
}
