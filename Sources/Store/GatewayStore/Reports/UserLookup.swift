import RedisClient

/// A device's place in an activity, by the whole hash of its user.
struct UserLookup {
    /// Nil when the device is not in the activity.
    let slot: UInt32?
    /// True if the user is in other activities as well.
    let hasOthers: Bool

    /// - Parameters:
    ///   - parts: names and values of the user's fields.
    ///   - device: the device's field.
    ///   - membership: the field of the user's membership in the activity.
    init(_ parts: RedisReplyView.Elements, device: [UInt8], membership: [UInt8]) {
        var present, number: UnsafeRawBufferPointer?
        var hasOthers = false
        var index = 0
        while index + 1 < parts.count {
            let (name, value) = (parts[index].bytes, parts[index + 1].bytes)
            index += 2
            if name.elementsEqual(device) {
                number = value
            } else if name.elementsEqual(membership) {
                present = value
            } else if name.first == UInt8(ascii: "m") {
                hasOthers = true
            }
        }
        self.hasOthers = hasOthers
        slot = present.flatMap { membership in
            number.flatMap { DeviceRecord.number(in: $0) }.flatMap { Membership.slot(device: $0, in: membership) }
        }
    }
}
