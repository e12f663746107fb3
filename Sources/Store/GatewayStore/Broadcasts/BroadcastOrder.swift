public import Delivery
public import LiveActivity
import RosterCore
public import TimeCore

/// Which devices a broadcast addresses.
public enum BroadcastScope: Equatable, Sendable {
    case wholeSegment
    /// Slots in ascending order, each once.
    case slots([UInt32])
}

/// A broadcast to be recorded.
public struct BroadcastDraft: Sendable {
    /// Chosen beforehand, so that whoever does not get the answer can look for it.
    public var id: UniqueID
    /// A start, an update or an end.
    public var kind: PushEvent
    /// The whole segment, or a list of slots.
    public var scope: BroadcastScope
    /// The content in Apple's form, without the timestamp, which is chosen when the broadcast is recorded.
    public var payload: Payload
    /// 5 or 10 (APNs: apns-priority); nil for 10 while the activity's budget of such updates lasts, and 5 after that.
    public var priority: Int?
    /// Epoch seconds (APNs: apns-expiration).
    public var expiration: Int64
    /// Who is passed over beforehand, so that the fan-out does not see them.
    public var skipped = SkipCounts()
    /// Which request it is, for logs and traces.
    public var origin = BroadcastOrigin()
    /// Why the Live Activities end, when this ends them.
    public var endReason = EndReason.endedByAPI
    /// The schedule that is carried out by this. It is carried out once: the broadcast is not recorded a second time.
    public var schedule: Schedule?
    /// Of the start of an activity: the channels that it has from then on.
    public var channels = Channels()
    /// How many devices an update or end of the whole segment reaches by its channels.
    public var covered = 0
    /// Of a start for those whom the start of the activity has left out: it is recorded only while this is held, and
    /// the lock is given back in the same step.
    public var restartLock: RestartLock?
    /// Of a topic's activity: what this does for the topic. It is recorded only while the lease holds.
    public var topic: TopicPart?

    /// What a broadcast does for a topic.
    public struct TopicPart: Sendable {
        let lease: TopicLease
        /// The version of the content that the activity has been told with this; nil when it is an older one.
        let version: Int?
        /// How many users the slots are of that become the segment's with this, which is a start for them; nil for
        /// none.
        let joined: Int?
        /// The life that an activity is started for; nil for what is no such start.
        let life: Int?

        public init(_ lease: TopicLease, tells version: Int? = nil, joined: Int? = nil, life: Int? = nil) {
            self.lease = lease
            self.version = version
            self.joined = joined
            self.life = life
        }
    }
    /// Whether an update to the whole segment is left out that shows what was sent last to all of it.
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

/// A broadcast that is recorded and can be carried out: everything a worker has to know.
public struct BroadcastOrder: Sendable {
    /// The same as the draft's.
    public let id: UniqueID
    /// As it was when the broadcast was read: its state may have changed since.
    public let activity: Activity
    /// A start, an update or an end.
    public let kind: PushEvent
    /// The whole segment, or a list of slots.
    public var scope: BroadcastScope
    /// The slots of the segment at the moment the broadcast was recorded.
    public let slots: SlotRanges
    /// An object `aps` in JSON, with its timestamp. Empty when `isUnreadable`, and when the broadcast had ended before
    /// its order was read.
    public let payload: [UInt8]
    /// That of the payload, epoch seconds; nil where it is not asked for.
    var timestamp: Int64?
    /// 5 or 10 (APNs: apns-priority).
    public let priority: Int
    /// Epoch seconds until which it is worth delivering (APNs: apns-expiration); 0 for a single try.
    public let expiration: Int64
    /// Grows by one with each broadcast of the activity.
    public let order: Int
    /// Updates of the activity that were pushed in the running hour before this one; 0 for other kinds.
    public let updatesThisHour: Int
    /// Whether events are to be recorded, as it was when the broadcast was.
    public var recordsEvents = false
    /// Whether the content was sealed with a key that this gateway has not: there is no payload then.
    public internal(set) var isUnreadable = false
    /// Where it is sent in place of devices, by kind of route: only of an update or end of the whole segment.
    public internal(set) var channels = Channels()
    /// Whether it is sent to channels once more when the starts are over that were under way when it was recorded.
    public internal(set) var isSentAfterStart = false
    /// Of a start: the channels that its devices follow from then on, by kind of route.
    public internal(set) var follows = Channels()
    /// The older broadcasts that this one leaves nothing to do for.
    public internal(set) var superseded: [UniqueID] = []
    /// Whether it is noted which tokens this meets, because devices that miss it are sent it later.
    var notesReading = false
    /// Which request it is, for logs and traces.
    public internal(set) var origin = BroadcastOrigin()
    /// Why the Live Activities end, when this ends them.
    public internal(set) var endReason = EndReason.endedByAPI

    /// Whether it may have jobs that are not in the lane of small ones.
    public var isLarge: Bool {
        switch scope {
        case .wholeSegment: slots.count > JobLane.smallBroadcast
        case .slots(let slots): slots.count > JobLane.smallBroadcast
        }
    }

    /// Whether it begins where the update before it stopped.
    public var takesTurns: Bool { kind == .update && scope == .wholeSegment }

    /// The id of an end of single devices in an activity that goes on; nil for any other broadcast. A device that it
    /// does not reach, for want of a live token or of consent, is ended by its next token.
    public var pendingEnd: UniqueID? {
        kind == .end && scope != .wholeSegment && activity.state == .started ? id : nil
    }

    /// The order number of an end of single devices in an activity that goes on; nil for any other broadcast. The end
    /// leaves Live Activities alone whose starts were asked for later: see `StartNote`.
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
        case .lateEnd, .catchUp: return pages
        }
    }

    /// The partitions that a part of the broadcast is about, in ascending order.
    public func partitions(of part: JobTicket.Part) -> [Int] {
        if case .partition(let partition) = part { return [partition] }
        return RosterGeometry.partitions(ofPages: pages(of: part))
    }

    /// The kind of destination that the pushes of a part of it go to. Devices that start to follow a channel count as
    /// the channel's.
    public func cohort(of part: JobTicket.Part) -> Cohort {
        if let kind = part.channelKind { return Cohort(kind, isToChannel: true) }
        return cohort(of: part.routeKind)
    }

    /// The same of devices that are reached one by one.
    func cohort(of kind: RouteKind) -> Cohort { Cohort(kind, isToChannel: follows[kind] != nil) }

    /// Whether a page stands for a channel: it has one device, whose address is the channel's.
    func isChannel(_ page: Int) -> Bool {
        let kind = RosterGeometry.kind(ofPage: page)
        return channels[kind] != nil && channelPages(kind).contains(page)
    }

    /// The pages that stand for the pushes to a channel: one for each.
    private func channelPages(_ kind: RouteKind) -> [Int] {
        let first = RosterGeometry.firstPage(of: kind)
        return isSentAfterStart ? [first, first + 1] : [first]
    }

    /// The kinds of route over which the devices addressed are reached, in ascending order.
    var routeKinds: [RouteKind] { RosterGeometry.kinds(ofPages: pages) }

    /// The partitions that hold a device addressed, in ascending order.
    public var partitions: [Int] { RosterGeometry.partitions(ofPages: pages) }

    /// The pages that hold a device addressed, and those that stand for channels, in ascending order.
    public var pages: [Int] {
        switch scope {
        case .wholeSegment where channels.isEmpty: slots.pages
        case .wholeSegment:
            (slots.pages.filter { channels[RosterGeometry.kind(ofPage: $0)] == nil }
                + channels.kinds.flatMap(channelPages)).sorted()
        case .slots(let slots): SlotList.pages(slots)
        }
    }

    /// How many pushes of a page the broadcast makes: one for each slot addressed, or one to a channel.
    public func devices(inPage page: Int) -> Int {
        switch scope {
        case .wholeSegment where isChannel(page): 1
        case .wholeSegment: slots.indexes(inPage: page).reduce(0) { $0 + $1.count }
        case .slots(let slots): slots.count { RosterGeometry.page(ofSlot: $0) == page }
        }
    }

    /// An order that is nowhere recorded, to read pages with: for measurements.
    package init(targeting targets: [UInt32], kind: PushEvent, activity: Activity) {
        self.init(kind, .slots(targets), SlotRanges([] as [Range<UInt32>]), activity)
    }

    /// Likewise.
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

    /// The same for one device, with a payload of its own, outside of the record.
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

/// Where a broadcast stands.
public enum BroadcastState: String, CaseIterable, Sendable {
    case queued, running, done, superseded, failed

    /// Whether it has ended: each of its devices has an outcome.
    public var isFinal: Bool { self != .queued && self != .running }
}
