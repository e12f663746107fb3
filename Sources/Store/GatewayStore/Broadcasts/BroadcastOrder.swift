public import Delivery
public import LiveActivity
import RosterCore
public import TimeCore

/// The devices that a broadcast addresses.
public enum BroadcastScope: Equatable, Sendable {
    case wholeSegment
    /// Slots in ascending order, each once.
    case slots([UInt32])
}

/// A broadcast to be recorded.
public struct BroadcastDraft: Sendable {
    /// The id, chosen by the caller, so that the broadcast can be found if the store's reply is lost.
    public var id: UniqueID
    /// A start, an update or an end.
    public var kind: PushEvent
    /// The whole segment, or a list of slots.
    public var scope: BroadcastScope
    /// The content in Apple's form. The timestamp is added when the broadcast is recorded.
    public var payload: Payload
    /// 5 or 10 (APNs: apns-priority). If nil, 10 while the activity's budget of urgent updates lasts, and 5 after that.
    public var priority: Int?
    /// Epoch seconds (APNs: apns-expiration).
    public var expiration: Int64
    /// The devices that were skipped beforehand, which the fan-out does not read.
    public var skipped = SkipCounts()
    /// The request behind the broadcast, for logs and traces.
    public var origin = BroadcastOrigin()
    /// The reason that an end records for its Live Activities.
    public var endReason = EndReason.endedByAPI
    /// The schedule that this broadcast fulfils. Recording the broadcast ends the schedule, so it runs only once.
    public var schedule: Schedule?
    /// The channels that an activity has from its start on. Only for starts.
    public var channels = Channels()
    /// The number of devices that an update or end of the whole segment reaches by its channels.
    public var covered = 0
    /// The lock of a start for devices that the activity's start has left out. The start is recorded only while the
    /// lock is held, and the same step releases it.
    public var restartLock: RestartLock?
    /// The changes to the topic of a topic's activity. The broadcast is recorded only while the topic's lease is held.
    public var topic: TopicPart?

    /// The changes of a broadcast to its topic.
    public struct TopicPart: Sendable {
        let lease: TopicLease
        /// The version of the content that this broadcast brings to the activity; nil for older content.
        let version: Int?
        /// The number of users whose slots join the segment with this start; nil for other broadcasts.
        let joined: Int?
        /// The life of the topic for which the activity starts; nil for other broadcasts.
        let life: Int?

        public init(_ lease: TopicLease, tells version: Int? = nil, joined: Int? = nil, life: Int? = nil) {
            self.lease = lease
            self.version = version
            self.joined = joined
            self.life = life
        }
    }
    /// True if an update to the whole segment is skipped if it shows what was last sent to all of it.
    public var skipsUnchanged = false
    /// The latest time at which a gateway can have received the request. If it is nil, an update and the first start of
    /// an activity have arrived now. Another start then repeats content that has arrived before.
    public var arrived: WallTime?
    /// The number of unfinished broadcasts of the activity at which a target list is refused; 0 for no limit.
    public var mostOpen = 0

    /// A request for a target list is refused while its activity has this many unfinished broadcasts.
    public static let mostOpenLists = 4096

    public init(
        id: UniqueID = .random(), kind: PushEvent, scope: BroadcastScope, payload: Payload, priority: Int?,
        expiration: Int64
    ) {
        self.id = id
        self.kind = kind
        self.scope = scope
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
    }
}

/// A recorded broadcast, with all data that a worker needs.
public struct BroadcastOrder: Sendable {
    /// The id of the draft.
    public let id: UniqueID
    /// The activity as it was read with the broadcast. Its state may have changed since.
    public let activity: Activity
    /// A start, an update or an end.
    public let kind: PushEvent
    /// The whole segment, or a list of slots.
    public var scope: BroadcastScope
    /// The slots of the segment when the broadcast was recorded.
    public let slots: SlotRanges
    /// A JSON object `aps` with its timestamp. Empty if `isUnreadable`, or if the broadcast ended before it was read.
    public let payload: [UInt8]
    /// The payload's timestamp in epoch seconds; nil if it was not read.
    var timestamp: Int64?
    /// 5 or 10 (APNs: apns-priority).
    public let priority: Int
    /// Epoch seconds after which the provider drops the push (APNs: apns-expiration); 0 for a single attempt.
    public let expiration: Int64
    /// The number of the broadcast in its activity, which grows by one with each broadcast.
    public let order: Int
    /// The updates of the activity in the running hour that were pushed before this one; 0 for other kinds.
    public let updatesThisHour: Int
    /// True if events were switched on when the broadcast was recorded.
    public var recordsEvents = false
    /// True if this gateway lacks the key of the sealed content. The payload is then empty.
    public internal(set) var isUnreadable = false
    /// The channels to which an update or end of the whole segment is sent instead of devices, by kind of route.
    public internal(set) var channels = Channels()
    /// True if the update is sent to channels once more after the starts that were under way when it was recorded.
    public internal(set) var isSentAfterStart = false
    /// The channels that the devices of a start follow from then on, by kind of route.
    public internal(set) var follows = Channels()
    /// The older broadcasts that this one supersedes.
    public internal(set) var superseded: [UniqueID] = []
    /// True if page records show which tokens the update has met, because devices that miss it are sent it later.
    var notesReading = false
    /// The request behind the broadcast, for logs and traces.
    public internal(set) var origin = BroadcastOrigin()
    /// The reason that an end records for its Live Activities.
    public internal(set) var endReason = EndReason.endedByAPI

    /// True if the broadcast may have jobs outside the lane of small ones.
    public var isLarge: Bool {
        switch scope {
        case .wholeSegment: slots.count > JobLane.smallBroadcast
        case .slots(let slots): slots.count > JobLane.smallBroadcast
        }
    }

    /// True if the broadcast begins at the partition where the last update stopped.
    public var takesTurns: Bool { kind == .update && scope == .wholeSegment }

    /// The id of an end of single devices in an activity that continues; nil for any other broadcast. If a device has
    /// no live token or no consent, the end waits for its next token.
    public var pendingEnd: UniqueID? {
        kind == .end && scope != .wholeSegment && activity.state == .started ? id : nil
    }

    /// The order number of an end of single devices in an activity that continues; nil for any other broadcast. The end
    /// spares Live Activities whose starts were requested later: see `StartNote`.
    var endOrder: Int? { pendingEnd == nil ? nil : order }

    /// The pages that hold a device which a part of the broadcast addresses, in ascending order.
    public func pages(of part: JobTicket.Part) -> [Int] {
        switch part {
        case .partition(let partition):
            let first = partition * RosterGeometry.pagesPerPartition
            return (first..<(first + RosterGeometry.pagesPerPartition)).filter { !indexes(inPage: $0).isEmpty }
        case .list(let kind): return pages.filter { RosterGeometry.kind(ofPage: $0) == kind }
        case .channel(let kind): return [RosterGeometry.firstPage(of: kind)]
        case .channelAfterStart(let kind): return [RosterGeometry.firstPage(of: kind) + 1]
        case .slot: return pages
        }
    }

    /// The partitions that a part of the broadcast reads, in ascending order.
    public func partitions(of part: JobTicket.Part) -> [Int] {
        if case .partition(let partition) = part { return [partition] }
        return RosterGeometry.partitions(ofPages: pages(of: part))
    }

    /// The kind of destination of a part's pushes. Devices that start to follow a channel count as the channel's.
    public func cohort(of part: JobTicket.Part) -> Cohort {
        if let kind = part.channelKind { return Cohort(kind, isToChannel: true) }
        return cohort(of: part.routeKind)
    }

    /// The kind of destination of single devices with a kind of route.
    func cohort(of kind: RouteKind) -> Cohort { Cohort(kind, isToChannel: follows[kind] != nil) }

    /// True if the page represents a channel. The page then has one device, whose address is the channel's.
    func isChannel(_ page: Int) -> Bool {
        let kind = RosterGeometry.kind(ofPage: page)
        return channels[kind] != nil && channelPages(kind).contains(page)
    }

    /// The pages that represent a kind's channel, one for each push to it.
    private func channelPages(_ kind: RouteKind) -> [Int] {
        let first = RosterGeometry.firstPage(of: kind)
        return isSentAfterStart ? [first, first + 1] : [first]
    }

    /// The kinds of route of the addressed devices, in ascending order.
    var routeKinds: [RouteKind] { RosterGeometry.kinds(ofPages: pages) }

    /// The partitions with addressed devices, in ascending order.
    public var partitions: [Int] { RosterGeometry.partitions(ofPages: pages) }

    /// The pages with addressed devices and the pages that represent channels, in ascending order.
    public var pages: [Int] {
        switch scope {
        case .wholeSegment where channels.isEmpty: slots.pages
        case .wholeSegment:
            (slots.pages.filter { channels[RosterGeometry.kind(ofPage: $0)] == nil }
                + channels.kinds.flatMap(channelPages)).sorted()
        case .slots(let slots): SlotList.pages(slots)
        }
    }

    /// The number of pushes for a page: one for each addressed slot, or one to a channel.
    public func devices(inPage page: Int) -> Int {
        switch scope {
        case .wholeSegment where isChannel(page): 1
        case .wholeSegment: slots.indexes(inPage: page).reduce(0) { $0 + $1.count }
        case .slots(let slots): slots.count { RosterGeometry.page(ofSlot: $0) == page }
        }
    }

    /// Creates an unrecorded order that reads the pages of these slots, for measurements.
    package init(targeting targets: [UInt32], kind: PushEvent, activity: Activity) {
        self.init(kind, .slots(targets), SlotRanges([] as [Range<UInt32>]), activity)
    }

    /// Creates an unrecorded order that reads the pages of a segment, for measurements.
    package init(wholeSegment slots: SlotRanges, kind: PushEvent, activity: Activity) {
        self.init(kind, .wholeSegment, slots, activity)
    }

    private init(_ kind: PushEvent, _ scope: BroadcastScope, _ slots: SlotRanges, _ activity: Activity) {
        self.init(
            id: .random(), activity: activity, kind: kind, scope: scope, slots: slots, payload: [], priority: 10,
            expiration: 0, order: 1, updatesThisHour: 0)
    }

    init(
        id: UniqueID, activity: Activity, kind: PushEvent, scope: BroadcastScope, slots: SlotRanges,
        payload: [UInt8], timestamp: Int64? = nil, priority: Int, expiration: Int64, order: Int, updatesThisHour: Int
    ) {
        self.id = id
        self.activity = activity
        self.kind = kind
        self.scope = scope
        self.slots = slots
        self.payload = payload
        self.timestamp = timestamp
        self.priority = priority
        self.expiration = expiration
        self.order = order
        self.updatesThisHour = updatesThisHour
    }

    /// Returns an unrecorded copy for one device with its own payload.
    func part(slot: UInt32, payload: [UInt8], expiration: Int64) -> BroadcastOrder {
        var part = BroadcastOrder(
            id: id, activity: activity, kind: kind, scope: .slots([slot]), slots: slots, payload: payload,
            priority: priority, expiration: expiration, order: order, updatesThisHour: 0)
        part.recordsEvents = recordsEvents
        part.isUnreadable = isUnreadable
        part.origin = origin
        part.endReason = endReason
        part.follows = follows
        return part
    }
}

/// The state of a broadcast.
public enum BroadcastState: String, CaseIterable, Sendable {
    case queued, running, done, superseded, failed

    /// True if the broadcast has ended, so that each of its devices has an outcome.
    public var isFinal: Bool { self != .queued && self != .running }
}
