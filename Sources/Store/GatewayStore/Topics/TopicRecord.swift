import Encodings
public import LiveActivity
public import TimeCore

/// A decoded topic hash.
public struct TopicRecord: Sendable {
    /// The topic's tenant and name.
    public let id: TopicID
    /// The name of the app's ActivityAttributes type.
    public let type: String
    /// The topic's state.
    public let state: TopicState
    /// The owner's number of the newest content; nil when it gives none.
    public let sequence: Int64?
    /// The number of writes that changed the topic. A write with nothing new but the label does not count.
    public let version: Int
    /// The number of the present life, from 1 on. A write after an end begins the next life.
    public let life: Int
    /// The time of its first write.
    public let createdAt: WallTime
    /// The time of its last change.
    public let changedAt: WallTime
    /// The time at which it last went live; nil for never.
    public let liveSince: WallTime?
    /// The time at which its activity ends without a write; nil for the default.
    public let endsAt: WallTime?
    /// The activity that was made last; nil when none was made.
    public let activityID: UniqueID?
    let activityLife: Int?
    /// True if the last activity is over.
    public let isOver: Bool
    /// The version that was sent to the last activity.
    public let sent: Int
    /// The reason why the present life ended without a write of the owner; nil if it did not.
    public let concluded: String?
    /// The number of users who follow by their own choice.
    public let following: Int
    /// The number of users who have unfollowed.
    public let unfollowed: Int
    /// 5 or 10; nil for the default of each push.
    public let priority: Int?
    /// The customer's label for people; nil for none.
    public let label: String?
    /// The use of a channel by devices that can follow one; nil for none.
    public let channelUse: ChannelUse?
    /// The key under which the activity's id is added to the attributes of a start; nil for not.
    public let activityIDAttribute: String?
    /// The slots without a start so far: first slot and count.
    let placing: [(first: UInt32, count: Int)]
    /// The slots that the devices of `placing` leave.
    let leaving: [UInt32]
    /// True if a gateway that is gone may have left slots without a start.
    public var hasUnstarted: Bool { !placing.isEmpty }
    /// The activity that a gateway is, or was, about to start.
    public let candidate: UniqueID?
    /// The number of levels of preferences, see `wishes.lua`.
    let wishLevels: Int
    /// The life whose followers have all been checked, and none could be started.
    let walkedLife: Int?
    /// The number of changes of the owner's list since it was compared with the places; nil for none.
    public let listChanges: Int?
    /// The time of the last search for followers who have lost their Live Activity.
    package let lookedAt: WallTime?
    /// The digest of the newest write; nil if the activity has ended by itself since.
    let digest: [UInt8]?
    let start: [UInt8]?
    /// The newest attributes of this life; nil if none were given.
    let attributes: [UInt8]?
    let update: [UInt8]?
    let ending: [UInt8]?
    /// The content version whose starts were refused because of the content; nil for none.
    public let refusedVersion: Int?

    init?(_ id: TopicID, _ fields: [RedisField]) {
        let hash = TopicHash(fields)
        guard let type = hash.text("type"), let state = hash.text("state").flatMap(TopicState.init),
            let version = hash.integer("version"), let createdAt = hash.time("created_at")
        else { return nil }
        self.id = id
        self.type = type
        self.state = state
        self.version = version
        self.createdAt = createdAt
        sequence = hash.number("sequence")
        life = hash.integer("life") ?? 1
        changedAt = hash.time("changed_at") ?? createdAt
        liveSince = hash.time("live_since")
        endsAt = hash.time("ends_at")
        activityID = hash.text("activity").flatMap { UniqueID($0) }
        activityLife = hash.integer("activity_life")
        isOver = hash.text("over") != nil
        sent = hash.integer("sent") ?? 0
        concluded = hash.text("concluded")
        following = hash.integer("following") ?? 0
        unfollowed = hash.integer("unfollowed") ?? 0
        priority = hash.integer("priority")
        label = hash.text("label")
        channelUse = hash.text("channel").flatMap(ChannelUse.init)
        activityIDAttribute = hash.text("id_attribute")
        candidate = hash.text("candidate").flatMap { UniqueID($0) }
        wishLevels = (hash.integer("levels") ?? 0) + 1
        lookedAt = hash.time("looked_at")
        listChanges = hash.integer("relist")
        walkedLife = hash.integer("walked")
        digest = hash["digest"]
        start = hash["start"]
        attributes = hash["attributes"]
        refusedVersion = hash.integer("oversize")
        (update, ending) = (hash["update"], hash["ending"])
        placing = hash.ranges("placing")
        leaving = SlotList.decode(hash["leaving"] ?? [])
    }

    /// True if all followers of the present life have been read since the list changed, and none could be started.
    public var hasWalked: Bool { walkedLife == life && listChanges == nil }

    /// True if the roster must be compared with the followers: the list has changed, or newer content has replaced a
    /// refused one.
    public var needsComparison: Bool { listChanges != nil || refusedVersion.map { $0 != version } ?? false }

    /// The work that is left to do.
    /// - Parameters:
    ///   - isRunning: True if the last activity can still be sent to.
    ///   - queued: The number of followers who are due in the queue.
    public func work(isRunning: Bool, queued: Int) -> TopicWork {
        situation(isRunning: isRunning).work(
            hasQueue: queued > 0 || needsComparison || hasUnstarted, hasWalked: hasWalked)
    }

    /// The facts that decide the next step.
    /// - Parameter isRunning: True if its last activity can still be sent to.
    public func situation(isRunning: Bool) -> TopicSituation {
        TopicSituation(
            state: state, life: life, version: version, activityLife: activityID == nil ? nil : activityLife,
            isOver: isOver, isRunning: isRunning, sent: sent)
    }
}

/// A write of a topic by its owner.
public struct TopicWrite: Sendable {
    /// The name of the app's ActivityAttributes type.
    public var type: String
    /// The state from now on.
    public var state: TopicState
    /// The digest of the whole write. A repeated write changes nothing.
    public var digest: [UInt8]
    /// The owner's number of the write. A smaller one than the topic's is refused; nil for no check.
    public var sequence: Int64?
    /// The start for devices without a Live Activity; nil without an alert.
    public var start: Payload?
    /// The attributes of starts from now on, see `Payload.attributes`; nil to keep those that were given before.
    public var attributes: Payload?
    /// The update for devices with a Live Activity.
    public var update: Payload?
    /// The end with this content.
    public var ending: Payload?
    /// 5 or 10, of the pushes to the whole segment; nil for the one that suits each.
    public var priority: Int?
    /// The time at which the activity ends without a write; nil for the latest.
    public var endsAt: WallTime?
    /// The customer's label for people; nil for none.
    public var label: String?
    /// The use of a channel by devices that can follow one; nil for none.
    public var channelUse: ChannelUse?
    /// The key under which the activity's id is added to the attributes of a start; nil for what the topic's life has.
    public var activityIDAttribute: String?

    public init(type: String, state: TopicState, digest: [UInt8]) {
        self.type = type
        self.state = state
        self.digest = digest
    }
}

extension TopicWrite {
    /// True if the write begins another life of a topic: nothing is kept of the former one.
    func beginsLife(after present: TopicRecord) -> Bool { present.state == .ended && state != .ended }

    /// True unless the topic has the same content already, or newer content.
    public func isNews(to present: TopicRecord?) -> Bool {
        guard let present else { return true }
        if let sequence, let newest = present.sequence, sequence < newest { return false }
        return digest != present.digest
    }
}

/// The contents that a topic sends.
public struct TopicContents: Sendable {
    /// The name of the app's ActivityAttributes type.
    public let type: String
    /// The use of channels by the topic's activity; nil for none.
    public let channelUse: ChannelUse?
    /// A start, composed of all that is kept; nil when there is no alert.
    public var start: Payload?
    /// An update.
    public var update: Payload?
    /// The end.
    public var ending: Payload?
    /// The key under which the activity's id is added to the attributes of a start; nil for none.
    public var activityIDAttribute: String?

    init(type: String, channelUse: ChannelUse?) {
        self.type = type
        self.channelUse = channelUse
    }
}

/// The result of a write.
public enum TopicChange: Equatable, Sendable {
    case changed(version: Int)
    case unchanged
    /// A newer one is there, with this number.
    case stale(Int64)
    case typeMismatch(registered: String)
    /// The topic is live and can only be ended.
    case isLive
    /// The topic would go live without title and message for a start.
    case alertMissing
    /// The topic has changed since it was read: read it again, and repeat.
    case contended
}

/// The fields of a topic's hash by name.
private struct TopicHash {
    private var values: [String: [UInt8]] = [:]

    init(_ fields: [RedisField]) {
        for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
    }

    subscript(_ name: String) -> [UInt8]? { values[name] }

    func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

    func number(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

    func integer(_ name: String) -> Int? { number(name).map { Int($0) } }

    func time(_ name: String) -> WallTime? { number(name).map(WallTime.init(milliseconds:)) }

    func ranges(_ name: String) -> [(first: UInt32, count: Int)] {
        var reader = ByteReader(values[name] ?? [])
        var ranges: [(first: UInt32, count: Int)] = []
        while let first = reader.integer(UInt32.self), let count = reader.integer(UInt32.self) {
            ranges.append((first, Int(count)))
        }
        return ranges
    }
}
