import LiveActivity
import RedisClient

/// The findings of a sync's first round trip, beside the device's slot.
struct SyncLookup {
    /// The places to which a reported token may belong. The raw values are those of `put-update-cell.lua`.
    enum OtherPlaces: Int {
        case none
        /// The places of the device in other activities.
        case ofDevice
        /// Also those that other logins of the phone have in the activity.
        case ofOtherLogins
        /// That of an earlier Live Activity in the same place, which has the reported name.
        case ofEarlierLiveActivity
        /// None, and the token is written only if the place has none.
        case onlyIfVacant
        /// The device's places in other activities, if the Live Activity in the place has reported before. The name is
        /// a new one, and the topic leads to the place.
        case ofEarlierActivity

        /// True if the report may still be found to belong to another place or Live Activity.
        var isOpen: Bool { self != .none && self != .onlyIfVacant }
    }

    /// The activity of the Live Activity's name.
    private(set) var namedActivity: UniqueID?
    /// True if the name is a new one.
    var isNameNew = false
    var otherPlaces = OtherPlaces.none
    /// True if the report names a topic, whose present activity may not be that of the Live Activity.
    var isByTopic = false

    /// True if nothing but the topic leads to the place.
    var isNewByTopic: Bool { isByTopic && isNameNew }

    private static let head = RedisCommandBuilder("HMGET")

    /// Reads the membership, the device and the name, where there is one.
    static func command(
        _ userKey: [UInt8], _ membershipField: [UInt8], _ deviceField: [UInt8], _ systemActivityID: String?
    ) -> RedisCommand {
        var builder = RedisCommandBuilder(copying: head, byteCountHint: userKey.count + 80)
        builder.append(userKey)
        builder.append(membershipField)
        builder.append(deviceField)
        if let systemActivityID { builder.append(UserRecord.systemActivityField(systemActivityID)) }
        return (consume builder).finish()
    }

    /// Reads the reply to `command`: the device's slot.
    mutating func read(_ parts: RedisReplyView.Elements, _ device: DeviceKey) -> UInt32? {
        guard parts.count >= 2, !parts[1].isNull, let number = DeviceRecord.number(in: parts[1].bytes)
        else { return nil }
        if DeviceRecord.hasHandOvers(in: parts[1].bytes) { otherPlaces = .ofOtherLogins }
        isNameNew = parts.count > 2 && parts[2].isNull
        namedActivity = parts.count > 2 ? activity(named: parts[2].bytes, device) : nil
        guard !parts[0].isNull else { return nil }
        if namedActivity != nil, otherPlaces == .none { otherPlaces = .ofEarlierLiveActivity }
        if isNewByTopic, otherPlaces == .none { otherPlaces = .ofEarlierActivity }
        return Membership.slot(device: number, in: parts[0].bytes)
    }

    /// Reads the whole hash of the user: the device's slot.
    mutating func readUser(
        _ parts: RedisReplyView.Elements, _ deviceField: [UInt8], _ membershipField: [UInt8]
    ) -> UInt32? {
        var membership, device: UnsafeRawBufferPointer?
        var index = 0
        while index + 1 < parts.count {
            let (name, value) = (parts[index].bytes, parts[index + 1].bytes)
            index += 2
            if name.elementsEqual(deviceField) {
                device = value
            } else if name.elementsEqual(membershipField) {
                membership = value
            } else if name.first == UInt8(ascii: "m") {
                otherPlaces = .ofDevice
            }
        }
        guard let device, let number = DeviceRecord.number(in: device) else { return nil }
        if DeviceRecord.hasHandOvers(in: device) { otherPlaces = .ofOtherLogins }
        guard let membership else { return nil }
        return Membership.slot(device: number, in: membership)
    }

    /// The activity of a stored name; nil if the name is of another device.
    private func activity(named name: UnsafeRawBufferPointer, _ device: DeviceKey) -> UniqueID? {
        guard let name = LiveActivityName(Array(name)), name.udid.elementsEqual(device.udid.utf8) else { return nil }
        return name.activity
    }
}
