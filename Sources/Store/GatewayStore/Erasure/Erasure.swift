import Encodings
public import LiveActivity
import Secrets
public import TimeCore

/// That a user, or a device of a user, is to be forgotten: a job that any gateway goes on with.
public struct Erasure: Hashable, Sendable {
    /// Chosen by the gateway that was asked.
    public let id: UniqueID
    /// Whose user it is.
    public let tenantID: String
    /// Which user.
    public let insiderID: String
    /// Whether all of the user goes, rather than a device.
    public let isOfUser: Bool
    /// When it was asked for, by the store's clock: what is reported later is of somebody new.
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

    /// Its item in the due queue.
    public var item: DueItem { .erasure(self) }

    /// In whose queue it lies.
    var shard: Int {
        let digest = Digest.sha256(Array("\(tenantID):\(insiderID)".utf8))
        return Int(UInt64(digest[0]) % Keys.shards)
    }

    /// The id of what is sent for it in an activity: the same whoever goes on with it.
    public func broadcastID(in activity: UniqueID) -> UniqueID {
        UniqueID(bytes: Digest.sha256(id.bytes + activity.bytes).prefix(16)) ?? id
    }
}

/// As the due queue spells it.
extension Erasure: CustomStringConvertible {
    public var description: String {
        "\(isOfUser ? "x" : "d"):\(id):\(erasedAt.milliseconds):\(tenantID):\(insiderID)"
    }

    /// As an item of the due queue.
    init?(item: String) {
        self.init(item.split(separator: ":", omittingEmptySubsequences: false))
    }

    /// The parts of an item between colons; an insider_id may have some of its own, a tenant's id has none.
    init?(_ parts: [Substring]) {
        guard parts.count >= 5, ["x", "d"].contains(parts[0]), let id = UniqueID(parts[1]), let time = Int64(parts[2])
        else { return nil }
        self.init(
            id, tenantID: String(parts[3]), insiderID: parts[4...].joined(separator: ":"), isOfUser: parts[0] == "x",
            erasedAt: WallTime(milliseconds: time))
    }
}

/// What an erasure begins with.
public struct ErasureStart: Sendable {
    /// The job, whose next steps are the caller's; others take it over when they are not made.
    public let erasure: Erasure
    /// How many devices are not known any more.
    public let devices: Int
    /// 1 when the user is not known any more.
    public let users: Int
    /// Those of the same user that were begun before, and have not been concluded: whoever was at them may be gone.
    public let open: [Erasure]
}

/// What an erasure has removed.
public struct ErasureReport: Equatable, Sendable {
    /// Of the user's.
    public var devices = 0
    /// Of these devices, push-to-start tokens and registration tokens.
    public var tokens = 0
    /// Activities that they had a place in.
    public var activities = 0
    /// Live Activities that were sent an end.
    public var ended = 0
    /// Topics for which the user had a wish, or was on the customer's list.
    public var topics = 0
    /// Stored segments that the user was in.
    public var segments = 0
    /// Schedules of the user, and of customers for the user's devices alone.
    public var schedules = 0
    /// Events, in the stream and for webhooks, that named the user.
    public var events = 0
    /// Whether something is left, which gateways go on with by themselves.
    public var isComplete = true

    public init() {}
}
