import Encodings
public import LiveActivity
import Secrets
public import TimeCore

/// The erasure of a user, or of a device of a user, as a job that any gateway can continue.
public struct Erasure: Hashable, Sendable {
    /// The id of the erasure, random.
    public let id: UniqueID
    /// The tenant of the user.
    public let tenantID: String
    /// The user's insider_id.
    public let insiderID: String
    /// True if the whole user is erased; false for a device.
    public let isOfUser: Bool
    /// The time of the request, by the store's clock. Later reports create a new user or device.
    public let erasedAt: WallTime

    init(
        _ id: UniqueID = .random(), tenantID: String, insiderID: String, isOfUser: Bool, erasedAt: WallTime
    ) {
        self.id = id
        self.tenantID = tenantID
        self.insiderID = insiderID
        self.isOfUser = isOfUser
        self.erasedAt = erasedAt
    }

    /// The erasure's item in the due queue.
    public var item: DueItem { .erasure(self) }

    /// The shard of its due queue.
    var shard: Int {
        let digest = Digest.sha256(Array("\(tenantID):\(insiderID)".utf8))
        return Int(UInt64(digest[0]) % Keys.shards)
    }

    /// The id of its broadcast in an activity. Each gateway computes the same one.
    public func broadcastID(in activity: UniqueID) -> UniqueID {
        UniqueID(bytes: Digest.sha256(id.bytes + activity.bytes).prefix(16)) ?? id
    }
}

/// The text in the due queue.
extension Erasure: CustomStringConvertible {
    public var description: String {
        "\(isOfUser ? "x" : "d"):\(id):\(erasedAt.milliseconds):\(tenantID):\(insiderID)"
    }

    /// Decodes an item of the due queue.
    init?(item: String) {
        self.init(item.split(separator: ":", omittingEmptySubsequences: false))
    }

    /// Decodes the parts of an item between colons. An insider_id may have colons, a tenant's id has none.
    init?(_ parts: [Substring]) {
        guard parts.count >= 5, ["x", "d"].contains(parts[0]), let id = UniqueID(parts[1]), let time = Int64(parts[2])
        else { return nil }
        self.init(
            id, tenantID: String(parts[3]), insiderID: parts[4...].joined(separator: ":"), isOfUser: parts[0] == "x",
            erasedAt: WallTime(milliseconds: time))
    }
}

/// The result of the first step of an erasure.
public struct ErasureStart: Sendable {
    /// The job. The caller continues it, or else the due queue does.
    public let erasure: Erasure
    /// The number of devices that are no longer known.
    public let devices: Int
    /// 1 if the user is no longer known, else 0.
    public let users: Int
    /// The user's earlier erasures that are not concluded. Their gateways may be lost.
    public let open: [Erasure]
}

/// The counts of erased records.
public struct ErasureReport: Equatable, Sendable {
    /// The number of the user's devices.
    public var devices = 0
    /// The number of push-to-start tokens and registration tokens of these devices.
    public var tokens = 0
    /// The number of activities that the devices were in.
    public var activities = 0
    /// The number of Live Activities to which an end was sent.
    public var ended = 0
    /// The number of topics with a preference of the user, or with the user on the customer's list.
    public var topics = 0
    /// The number of stored segments that the user was in.
    public var segments = 0
    /// The number of schedules of the user, and of customers for the user's devices alone.
    public var schedules = 0
    /// The number of events, in streams and for webhooks, that named the user.
    public var events = 0
    /// False if some work is left, which gateways complete later.
    public var isComplete = true

    public init() {}
}
