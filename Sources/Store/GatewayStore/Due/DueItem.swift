public import LiveActivity

/// A member of a shard's due queue.
public enum DueItem: Hashable, Sendable, CustomStringConvertible {
    /// The earlier of the activity's end time and the end of its lifetime.
    case activity(UniqueID)
    /// A schedule of the activity.
    case schedule(UniqueID, in: UniqueID)

    /// The search of an activity for devices that lost their Live Activity.
    case healing(UniqueID)

    /// Work on a topic.
    case topic(TopicID)

    /// The erasure of a user or a device.
    case erasure(Erasure)

    /// The shard of the queue.
    public var shard: Int {
        switch self {
        case .activity(let id), .healing(let id), .schedule(_, let id): Keys.shard(id)
        case .topic(let id): id.shard
        case .erasure(let erasure): erasure.shard
        }
    }

    /// The member's text in the queue.
    public var description: String {
        switch self {
        case .activity(let id): "a:\(id)"
        case .healing(let id): "h:\(id)"
        case .topic(let id): id.description
        case .erasure(let erasure): erasure.description
        case .schedule(let id, let activity): "s:\(activity):\(id)"
        }
    }

    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts[0] == "y", parts.count >= 3 {
            // A topic's name may have colons.
            self = .topic(TopicID(tenantID: String(parts[1]), name: parts[2...].joined(separator: ":")))
            return
        }
        if let erasure = Erasure(parts) {
            self = .erasure(erasure)
            return
        }
        guard parts.count > 1, let activity = UniqueID(parts[1]) else { return nil }
        if parts[0] == "a", parts.count == 2 {
            self = .activity(activity)
        } else if parts[0] == "h", parts.count == 2 {
            self = .healing(activity)
        } else if parts[0] == "s", parts.count == 3, let schedule = UniqueID(parts[2]) {
            self = .schedule(schedule, in: activity)
        } else {
            return nil
        }
    }
}
