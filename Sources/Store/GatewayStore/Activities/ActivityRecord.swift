public import Delivery
public import LiveActivity
import RosterCore
import TimeCore

/// A decoded activity hash.
public struct ActivityRecord: Sendable {
    /// The activity's tenant, type, state and times.
    public let activity: Activity
    /// The confirmed slots.
    public let slots: SlotRanges
    /// The number of users of the segment, with or without a device that has a token.
    public let users: Int
    /// The number of devices of the segment, with or without a token.
    public let devices: Int
    /// The broadcast that ended the activity.
    public let endBroadcast: UniqueID?
    /// True if the content of the newest update is kept for devices that report later.
    public let catchesUp: Bool
    /// The newest update whose content is kept.
    let newestUpdate: UniqueID?
    /// The healing of devices that have lost their Live Activity; nil for none.
    public let healing: Healing?
    /// The reason why the activity ended.
    public let endReason: EndReason?
    /// True if its start was for the whole segment. False for a list, before the start, and if devices opened it.
    let wasStartedWhole: Bool
    /// The channels that its devices follow.
    public let channels: Channels
    /// The kinds of route whose channel the provider has deleted.
    let lostChannels: Set<RouteKind>
    /// The use of channels; nil if devices follow none.
    public let channelUse: ChannelUse?
    /// The topic of the activity; nil for none.
    public let topic: TopicID?
    /// The newest broadcasts, the newest first, without those to single followers of the activity's topic.
    let recent: [UniqueID]
    /// The order number of its newest broadcast; 0 for none.
    let order: Int
    /// The least time between two updates to its whole segment, in seconds; nil for the store's.
    public let minimumInterval: Int?

    init?(_ id: UniqueID, _ fields: [RedisField]) {
        var values: [String: [UInt8]] = [:]
        for (name, value) in fields { values[String(decoding: name, as: UTF8.self)] = value }
        func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
        func time(_ name: String) -> WallTime? { text(name).flatMap { Int64($0) }.map(WallTime.init(milliseconds:)) }
        guard let tenantID = text("tenant"), let type = text("type"), let endsAt = time("ends_at"),
            let createdAt = time("created_at"),
            let state = text("state").flatMap({ UInt8($0) }).flatMap(Activity.State.init)
        else { return nil }
        activity = Activity(
            id: id, tenantID: tenantID, type: type, state: state, createdAt: createdAt, startedAt: time("started_at"),
            endsAt: endsAt, activityIDAttribute: text("id_attribute"), externalID: text("external_id"),
            externalOwner: text("external_owner"), label: text("label"))
        slots = SlotRanges(values["slots"] ?? [])
        users = text("users").flatMap { Int($0) } ?? 0
        devices = text("devices").flatMap { Int($0) } ?? 0
        endBroadcast = text("end_broadcast").flatMap { UniqueID($0) }
        catchesUp = text("catch_up") != nil
        newestUpdate = text("newest_update").flatMap { UniqueID($0) }
        healing = Healing(text("heal"))
        wasStartedWhole = text("start") == "whole"
        channels = Channels(text("channels"))
        lostChannels = Set(
            (text("lost_channels") ?? "").split(separator: ",").compactMap { UInt8($0).map(RouteKind.init) })
        channelUse = text("channel").flatMap(ChannelUse.init)
        topic = text("topic").map { TopicID(tenantID: tenantID, name: $0) }
        recent = UniqueID.list(values["recent"] ?? [], in: id)
        order = text("order").flatMap { Int($0) } ?? 0
        minimumInterval = text("min_interval").flatMap { Int($0) }.map { $0 / 1000 }
        endReason = text("end_reason").flatMap { UInt8($0) }.flatMap(EndReason.init)
    }

    /// The cohort of the devices in a page.
    func cohort(ofPage page: Int) -> Cohort { cohort(ofPartition: RosterGeometry.partition(ofPage: page)) }

    /// The cohort of the devices in a partition.
    func cohort(ofPartition partition: Int) -> Cohort {
        let kind = RosterGeometry.kind(ofPartition: partition)
        return Cohort(kind, isToChannel: channels[kind] != nil)
    }

    /// True if the device in a slot gets pushes to the whole segment by a channel.
    func isReachedByChannel(_ slot: UInt32) -> Bool {
        !channels.isEmpty && channels[RosterGeometry.kind(ofSlot: slot)] != nil
    }

    /// True if the device in a slot gets pushes to the whole segment by a channel that keeps the newest one.
    func hearsByChannel(_ slot: UInt32) -> Bool {
        isReachedByChannel(slot) && channels.storesNewest(RosterGeometry.kind(ofSlot: slot))
    }

    /// The reason why the Live Activities in a page ended with the activity's channel. Nil while the activity lives,
    /// and for pages without a channel.
    func channelEnd(ofPage page: Int) -> EndReason? {
        activity.state == .dead && channels[RosterGeometry.kind(ofPage: page)] != nil ? endReason : nil
    }

    /// The kinds of route over which its devices are reached, in ascending order.
    public var routeKinds: [RouteKind] { RosterGeometry.kinds(of: slots) }

    /// The partitions that hold at least one slot.
    var partitions: [Int] { RosterGeometry.partitions(ofPages: slots.pages) }
}

extension Activity {
    /// The time until which the activity's data is kept: its end, a day for the status routes, and a day of grace.
    static func keptUntil(_ endsAt: WallTime) -> WallTime { endsAt + keptAfterEnd }

    static let keptAfterEnd = TimeInterval.seconds(2 * 86_400)

    var keptUntil: WallTime { Activity.keptUntil(endsAt) }
}

extension UniqueID {
    /// Decodes broadcast ids, of which only the last six bytes are stored. The first ten are those of the activity's
    /// id. Skips an incomplete id.
    fileprivate static func list(_ bytes: [UInt8], in activity: UniqueID) -> [UniqueID] {
        let shared = activity.bytes.prefix(10)
        let length = 6
        return stride(from: 0, to: bytes.count - length + 1, by: length).compactMap {
            UniqueID(bytes: shared + bytes[$0..<($0 + length)])
        }
    }
}
