public import Delivery
import Encodings
public import LiveActivity
import RedisClient
public import TimeCore

/// A start, update or end at a scheduled time.
public struct Schedule: Sendable {
    /// The progress of a schedule.
    public enum State: String, Sendable {
        case pending, done, failed, expired
    }

    /// The id of the schedule and of its broadcast.
    public let id: UniqueID
    /// The activity of the schedule.
    public let activityID: UniqueID
    /// The tenant of the schedule.
    public var tenantID: String
    /// The customer's name for the schedule, which reports of taps contain; nil for none.
    public var name: String?
    /// The kind of push: a start, an update or an end.
    public var kind: PushEvent
    /// The payload to send; nil in listings, after the end, and if it is unreadable.
    public var payload: Payload?
    /// True if the content was sealed with a key that this gateway does not have. There is no payload then.
    public internal(set) var isUnreadable = false
    /// The insider_id of the user whose app made the schedule; nil for a customer's schedule. A user's
    /// schedule applies to the user's devices in the activity at its due time, and is deleted at its end.
    public var owner: String?
    /// The devices; nil for the whole segment, or for the owner's devices.
    public var targets: [DeviceKey]?
    /// 5 or 10 (APNs: apns-priority).
    public var priority: Int?
    /// Epoch seconds; nil for the default of the kind.
    public var expiration: Int64?
    /// True if an end is carried out even if it reaches no device.
    public var isForced = false
    /// True if an update to the whole segment is left out when it shows nothing new.
    public var skipsUnchanged = false
    /// The earliest time at which it is carried out.
    public var deliverAt: WallTime
    /// The longest delay with which it may be carried out; nil for no limit.
    public var expiresAfter: TimeInterval?
    /// The time at which it was recorded.
    public var createdAt: WallTime
    /// The progress of the schedule. A cancelled schedule is deleted.
    public internal(set) var state = State.pending
    /// The time at which it was carried out, refused or found too late; nil while it is pending.
    public internal(set) var endedAt: WallTime?
    /// The broadcast of the schedule; nil for none.
    public internal(set) var broadcastID: UniqueID?
    /// The code of the failure; nil for none.
    public internal(set) var reason: String?
    /// The version of the list of devices.
    public internal(set) var version = 0

    public init(
        _ id: UniqueID = .random(), activityID: UniqueID, tenantID: String, kind: PushEvent, payload: Payload,
        priority: Int?,
        deliverAt: WallTime, createdAt: WallTime
    ) {
        self.id = id
        self.activityID = activityID
        self.tenantID = tenantID
        self.kind = kind
        self.payload = payload
        self.priority = priority
        self.deliverAt = deliverAt
        self.createdAt = createdAt
    }

    /// The schedule's item in the due queue.
    public var item: DueItem { .schedule(id, in: activityID) }

    /// The call that ends a waiting schedule without a broadcast. The reply is false if the schedule no longer waits.
    static func concluding(
        _ id: UniqueID, in activity: UniqueID, _ state: State, reason: String?, now: WallTime
    ) -> ScriptCall<Bool> {
        Scripts.concludeSchedule(
            activity: Keys.activity(activity), due: Keys.due(Keys.shard(activity)), activityID: activity.description,
            id: id.description, now: now.milliseconds, state: state.rawValue, reason: reason ?? "")
    }
}

// The layout of a schedule in its hash.
extension Schedule {
    /// The fields that lists read: all but the content and the devices.
    static let listedFields = [
        "tenant", "event", "state", "deliver_at", "created_at", "name", "owner", "priority", "expiration", "force",
        "skip_unchanged", "expire_after", "ended_at", "broadcast", "reason", "v",
    ]

    /// Returns nil if a required value is missing or unreadable.
    /// - Parameter open: Opens content that was sealed for the tenant.
    init?(
        _ id: UniqueID, in activityID: UniqueID, _ fields: [RedisField],
        open: (_ sealed: [UInt8], _ tenantID: String) -> Payload?
    ) {
        var values: [String: [UInt8]] = [:]
        for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
        func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
        func number(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }
        guard let tenantID = text("tenant"), let kind = text("event").flatMap(PushEvent.init),
            let deliverAt = number("deliver_at"), let createdAt = number("created_at"),
            let state = text("state").flatMap(State.init)
        else { return nil }
        self.id = id
        self.activityID = activityID
        self.tenantID = tenantID
        self.kind = kind
        self.deliverAt = WallTime(milliseconds: deliverAt)
        self.createdAt = WallTime(milliseconds: createdAt)
        self.state = state
        name = text("name")
        if let before = values["before"], let after = values["after"] {
            if ContentSealer.isSealed(before) {
                payload = open(before, tenantID)
                isUnreadable = payload == nil
            } else {
                payload = Payload(beforeTimestamp: before, afterTimestamp: after)
            }
        }
        owner = text("owner")
        targets = values["targets"].map(TargetList.decode)
        priority = number("priority").map { Int($0) }
        expiration = number("expiration")
        isForced = text("force") != nil
        skipsUnchanged = text("skip_unchanged") != nil
        expiresAfter = number("expire_after").map { .seconds(Int(clamping: $0)) }
        endedAt = number("ended_at").map(WallTime.init(milliseconds:))
        broadcastID = text("broadcast").flatMap { UniqueID($0) }
        reason = text("reason")
        version = Int(number("v") ?? 0)
    }

    /// - Parameter kept: The parts of the payload in their stored form.
    func fields(kept: (before: [UInt8], after: [UInt8])?) -> [any RedisArgumentConvertible] {
        var fields: [any RedisArgumentConvertible] = [
            "tenant", tenantID, "event", kind.rawValue, "state", state.rawValue, "deliver_at", deliverAt.milliseconds,
            "created_at", createdAt.milliseconds,
        ]
        if let priority { fields += ["priority", priority] as [any RedisArgumentConvertible] }
        if let kept { fields += ["before", kept.before, "after", kept.after] }
        if let owner { fields += ["owner", owner] }
        if let name { fields += ["name", name] }
        if let targets { fields += ["targets", TargetList.encode(targets)] }
        if let expiration { fields += ["expiration", expiration] as [any RedisArgumentConvertible] }
        if isForced { fields += ["force", "1"] }
        if skipsUnchanged { fields += ["skip_unchanged", "1"] }
        if let expiresAfter {
            fields +=
                ["expire_after", Int64(expiresAfter.nanoseconds / 1_000_000_000)] as [any RedisArgumentConvertible]
        }
        return fields
    }
}

/// A list of devices by insider_id and udid. Each part follows its length in two bytes.
enum TargetList {
    static func encode(_ keys: [DeviceKey]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in keys.flatMap({ [$0.insiderID, $0.udid] }) {
            bytes.append(littleEndian: part.utf8.count, bytes: 2)
            bytes += part.utf8
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [DeviceKey] {
        var reader = ByteReader(bytes)
        func part() -> String? {
            reader.integer(UInt16.self).flatMap { reader.take(Int($0)) }.map { String(decoding: $0, as: UTF8.self) }
        }
        var keys: [DeviceKey] = []
        while let insiderID = part(), let udid = part() { keys.append(DeviceKey(insiderID: insiderID, udid: udid)) }
        return keys
    }
}
