public import LiveActivity
import RosterCore
public import TimeCore

/// An update to the whole of a small segment that the gateway which records it sends at once.
public struct DirectDraft: Sendable {
    /// Chosen beforehand, so that whoever does not get the answer can look for it.
    public let id: UniqueID
    /// Whether it may have been recorded before under this id.
    public let isRepetition: Bool
    /// The activity, which may be any.
    public let activityID: UniqueID
    /// Who asks.
    public let tenantID: String
    /// The activity's type as the caller knows it.
    public let type: String
    /// The content in Apple's form, without the timestamp, which is chosen when it is recorded.
    public let payload: Payload
    /// 5 or 10 (APNs: apns-priority); nil for 10 while the activity's budget of such updates lasts, and 5 after that.
    public let priority: Int?
    /// Epoch seconds (APNs: apns-expiration); nil for the activity's end.
    public let expiration: Int64?
    /// Which request it is, for logs and traces.
    public let origin: BroadcastOrigin
    /// The time at which a gateway received the request; nil for now.
    public let arrived: WallTime?
    /// The request, when it is to be let in by the step that records the update; nil when it has been.
    public let admission: KnownKey.Request?

    public init(
        id: UniqueID, isRepetition: Bool, activityID: UniqueID, tenantID: String, type: String, payload: Payload,
        priority: Int?, expiration: Int64?, origin: BroadcastOrigin, arrived: WallTime? = nil,
        admission: KnownKey.Request? = nil
    ) {
        self.id = id
        self.isRepetition = isRepetition
        self.activityID = activityID
        self.tenantID = tenantID
        self.type = type
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
        self.origin = origin
        self.arrived = arrived
        self.admission = admission
    }
}

/// The segment of an activity whose updates may be sent at once: few slots of one page, next to each other.
public struct SmallSegment: Equatable, Sendable {
    let first: UInt32
    let end: UInt32

    /// The most devices.
    static let maximumDevices = 50

    /// How updates of an activity are sent.
    public enum Kind: Sendable {
        case small(SmallSegment)
        /// Like any other broadcast.
        case other
    }

    /// Nil when the activity's updates are broadcasts like any others: because of its size, or of what else is to be
    /// done with them.
    public init?(_ record: ActivityRecord) {
        guard record.slots.ranges.count == 1, let range = record.slots.ranges.first,
            range.count <= SmallSegment.maximumDevices,
            RosterGeometry.page(ofSlot: range.lowerBound) == RosterGeometry.page(ofSlot: range.upperBound - 1),
            record.channels.isEmpty, record.channelUse == nil, !record.catchesUp, record.healing == nil,
            record.topic == nil, record.activity.externalID == nil
        else { return nil }
        self.init(first: range.lowerBound, end: range.upperBound)
    }

    init(first: UInt32, end: UInt32) {
        self.first = first
        self.end = end
    }

    var slots: SlotRanges { SlotRanges([first..<end]) }

    /// The page that holds them all.
    public var page: Int { RosterGeometry.page(ofSlot: first) }

    /// Its partition.
    public var partition: Int { RosterGeometry.partition(ofPage: page) }
}
