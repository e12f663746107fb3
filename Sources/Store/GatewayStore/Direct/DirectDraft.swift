public import LiveActivity
import RosterCore
public import TimeCore

/// An update to the whole of a small segment, sent at once by the gateway that records it.
public struct DirectDraft: Sendable {
    /// The id, chosen by the caller, so that the update can be found if the store's reply is lost.
    public let id: UniqueID
    /// True if the update may have been recorded under this id before.
    public let isRepetition: Bool
    /// The activity, which the caller has not checked.
    public let activityID: UniqueID
    /// The tenant of the caller.
    public let tenantID: String
    /// The activity's type as the caller knows it.
    public let type: String
    /// The content in Apple's form. The timestamp is added when the update is recorded.
    public let payload: Payload
    /// 5 or 10 (APNs: apns-priority). If nil, 10 while the activity's budget of urgent updates lasts, and 5 after that.
    public let priority: Int?
    /// Epoch seconds (APNs: apns-expiration); nil for the activity's end.
    public let expiration: Int64?
    /// The request behind the update, for logs and traces.
    public let origin: BroadcastOrigin
    /// The time at which a gateway received the request; nil for now.
    public let arrived: WallTime?
    /// The request, if the step that records the update also admits it; nil if it was admitted before.
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

/// The segment of an activity whose updates may be sent at once: few adjacent slots of one page.
public struct SmallSegment: Equatable, Sendable {
    let first: UInt32
    let end: UInt32

    /// The most devices.
    static let maximumDevices = 50

    /// The way in which updates of an activity are sent.
    public enum Kind: Sendable {
        case small(SmallSegment)
        /// By a broadcast with jobs.
        case other
    }

    /// Returns nil if the activity's updates need jobs, because of its size or its features.
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

    /// The page of all slots.
    public var page: Int { RosterGeometry.page(ofSlot: first) }

    /// The partition of the page.
    public var partition: Int { RosterGeometry.partition(ofPage: page) }
}
