import LiveActivity
import RedisClient
import RosterCore

// The replies of the store as values.
extension SyncLookup {
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
}

extension SyncLookup.Reply {
    /// Reads the reply to `command`.
    init(_ parts: RedisReplyView.Elements, _ key: DeviceKey) {
        guard parts.count >= 2, !parts[1].isNull, let number = DeviceRecord.number(in: parts[1].bytes) else { return }
        if DeviceRecord.hasHandOvers(in: parts[1].bytes) { otherPlaces = .ofOtherLogins }
        if parts.count > 2 {
            isNameNew = parts[2].isNull
            // A stored name may be of another device.
            let name = isNameNew ? nil : LiveActivityName(Array(parts[2].bytes))
            if let name, name.udid.elementsEqual(key.udid.utf8) { namedActivity = name.activity }
        }
        if !parts[0].isNull { slot = Membership.slot(device: number, in: parts[0].bytes) }
    }

    /// Reads the whole hash of the user.
    init(user parts: RedisReplyView.Elements, _ deviceField: [UInt8], _ membershipField: [UInt8]) {
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
        guard let device, let number = DeviceRecord.number(in: device) else { return }
        if DeviceRecord.hasHandOvers(in: device) { otherPlaces = .ofOtherLogins }
        if let membership { slot = Membership.slot(device: number, in: membership) }
    }
}

extension SyncMachine.ReadDevice {
    /// Reads the value of the device in the user's hash.
    init(_ value: UnsafeRawBufferPointer) {
        guard let stored = DeviceRecord.read(value) else { return }
        refusal = stored.device.refusesPushes
        changedKind = stored.changedKind
        isReached = stored.isReached
    }

    /// Reads the user's hash; nil if the user does not have the device.
    init?(_ user: UserRecord?, _ udid: String) {
        guard let user, let device = user.device(udid) else { return nil }
        refusal = device.device.refusesPushes
        changedKind = device.changedKind
        isReached = device.isReached
        registrationToken = user.registrationToken(device: device.number).map {
            RegistrationToken.cellContent($0.token)
        }
    }
}
