public import LiveActivity
public import TimeCore

/// A topic's hash, decoded.
public struct TopicRecord: Sendable {
    /// Whose it is, and its name.
    public let id: TopicID
    /// The name of the app's ActivityAttributes type.
    public let type: String
    /// Where it stands.
    public let state: TopicState
    /// The owner's number of the newest content; nil when it gives none.
    public let sequence: Int64?
    /// Grows with each accepted content.
    public let version: Int
    /// Counts how often the topic has become something else after an end, from 1 on.
    public let life: Int
    /// When it was first heard of.
    public let createdAt: WallTime
    /// When it last changed.
    public let changedAt: WallTime
    /// When it last went live; nil when it never did.
    public let liveSince: WallTime?
    /// When its activity ends by itself; nil when the owner does not say.
    public let endsAt: WallTime?
    /// The activity that was made last; nil when none was made.
    public let activityID: UniqueID?
    let activityLife: Int?
    /// Whether the last activity is over.
    public let isOver: Bool
    /// The version that the last activity was told.
    public let sent: Int
    /// Why the present life ended without the owner's doing; nil when it did not.
    public let concluded: String?
    /// How many users follow by their own word.
    public let following: Int
    /// How many have said that they do not any more.
    public let unfollowed: Int
    /// 5 or 10; nil for the default of each push.
    public let priority: Int?
    /// The customer's label for people; nil for none.
    public let label: String?
    /// Whether devices that can are to follow a channel; nil for not.
    public let channelUse: ChannelUse?
    /// The key under which the activity's id is added to the attributes of a start; nil for not.
    public let activityIDAttribute: String?
    /// Slots that no start is for yet: first and count.
    let placing: [(first: UInt32, count: Int)]
    /// The slots that the devices of `placing` leave.
    let leaving: [UInt32]
    /// True if a gateway that is gone may have left slots without a start.
    public var hasUnstarted: Bool { !placing.isEmpty }
    /// The activity that somebody is, or was, about to start.
    public let candidate: UniqueID?
    /// Of how many levels wishes may be; see `wishes.lua`.
    let wishLevels: Int
    /// The life whose followers have all been looked at, and none could be started.
    let walkedLife: Int?
    /// How often the owner's list has changed since it was compared with who has a place; nil when it has not.
    public let listChanges: Int?
    /// The page from which on it is looked next for devices that are silent.
    let silentPage: Int
    /// When it was last looked for followers who have lost their Live Activity.
    package let lookedAt: WallTime?
    /// The digest of the newest write; nil if the activity has ended by itself since.
    let digest: [UInt8]?
    let start: [UInt8]?
    /// The newest attributes of this life; nil when none were given apart from `start`.
    let attributes: [UInt8]?
    let update: [UInt8]?
    let ending: [UInt8]?
    /// The content version whose starts were refused because of the content; nil for none.
    public let refusedVersion: Int?

    init?(_ id: TopicID, _ fields: [RedisField]) {
        var values: [String: [UInt8]] = [:]
        for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
        func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
        func number(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }
        func time(_ name: String) -> WallTime? { number(name).map(WallTime.init(milliseconds:)) }
        guard let type = text("type"), let state = text("state").flatMap(TopicState.init),
            let version = number("version"), let createdAt = time("created_at")
        else { return nil }
        self.id = id
        self.type = type
        self.state = state
        self.version = Int(version)
        self.createdAt = createdAt
        sequence = number("sequence")
        life = Int(number("life") ?? 1)
        changedAt = time("changed_at") ?? createdAt
        liveSince = time("live_since")
        endsAt = time("ends_at")
        activityID = text("activity").flatMap { UniqueID($0) }
        activityLife = number("activity_life").map { Int($0) }
        isOver = text("over") != nil
        sent = Int(number("sent") ?? 0)
        concluded = text("concluded")
        following = Int(number("following") ?? 0)
        unfollowed = Int(number("unfollowed") ?? 0)
        priority = number("priority").map { Int($0) }
        label = text("label")
        channelUse = text("channel").flatMap(ChannelUse.init)
        activityIDAttribute = text("id_attribute")
        candidate = text("candidate").flatMap { UniqueID($0) }
        wishLevels = text("levels").flatMap { Int($0) }.map { $0 + 1 } ?? 1
        silentPage = number("silent_page").map { Int($0) } ?? 0
        lookedAt = time("looked_at")
        listChanges = number("relist").map { Int($0) }
        walkedLife = number("walked").map { Int($0) }
        digest = values["digest"]
        start = values["start"]
        attributes = values["attributes"]
        refusedVersion = number("oversize").map { Int($0) }
        update = values["update"]
        ending = values["ending"]
        var reader = ByteReader(values["placing"] ?? [])
        var placing: [(first: UInt32, count: Int)] = []
        while let first = reader.integer(UInt32.self), let count = reader.integer(UInt32.self) {
            placing.append((first, Int(count)))
        }
        self.placing = placing
        leaving = SlotList.decode(values["leaving"] ?? [])
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

    /// What decides the next step.
    /// - Parameter isRunning: whether its last activity can still be sent to.
    public func situation(isRunning: Bool) -> TopicSituation {
        TopicSituation(
            state: state, life: life, version: version, activityLife: activityID == nil ? nil : activityLife,
            isOver: isOver, isRunning: isRunning, sent: sent)
    }
}

/// What the owner of a topic says of it.
public struct TopicWrite: Sendable {
    /// The name of the app's ActivityAttributes type.
    public var type: String
    /// Where it stands from now on.
    public var state: TopicState
    /// Of all that is said: the same again is nothing new.
    public var digest: [UInt8]
    /// What is smaller than the topic's is refused; nil for no such check.
    public var sequence: Int64?
    /// For who has no Live Activity yet; nil when there is nothing to alert with.
    public var start: Payload?
    /// The attributes of starts from now on, see `Payload.attributes`; nil to keep those that were given before.
    public var attributes: Payload?
    /// For who has one.
    public var update: Payload?
    /// The end with this content.
    public var ending: Payload?
    /// 5 or 10, of the pushes to the whole segment; nil for the one that suits each.
    public var priority: Int?
    /// When the activity ends by itself; nil for as late as may be.
    public var endsAt: WallTime?
    /// The customer's label for people; nil for none.
    public var label: String?
    /// Whether devices that can are to follow a channel; nil for not.
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

/// What became of it.
public enum TopicChange: Equatable, Sendable {
    case changed(version: Int)
    case unchanged
    /// A newer one is there, with this number.
    case stale(Int64)
    case typeMismatch(registered: String)
    /// What is live can only be ended.
    case isLive
    /// It goes live, and there is no title and message to start with.
    case alertMissing
    /// The topic has changed since it was read: read it again, and repeat.
    case contended
}
