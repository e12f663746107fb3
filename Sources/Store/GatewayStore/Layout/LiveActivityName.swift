import LiveActivity
import TimeCore

/// Whose Live Activity it is that iOS gave a name, as it lies in a user's hash: the activity (16 bytes), the udid, a
/// zero, and when a report last named it (6 bytes). Records of earlier versions end with the udid.
struct LiveActivityName: Equatable {
    let activity: UniqueID
    let udid: [UInt8]
    let namedAt: WallTime

    init(activity: UniqueID, udid: String, namedAt: WallTime) {
        self.activity = activity
        self.udid = Array(udid.utf8)
        self.namedAt = namedAt
    }

    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let id = reader.take(16).flatMap({ UniqueID(bytes: $0) }) else { return nil }
        activity = id
        let rest = reader.rest()
        // No udid has a zero in it.
        udid = Array(rest.prefix { $0 != 0 })
        var end = ByteReader(rest.dropFirst(udid.count + 1))
        namedAt = WallTime(milliseconds: end.integer(bytes: UserRecord.timeLength).map { Int64($0) } ?? 0)
    }

    var bytes: [UInt8] { activity.bytes + udid + [0] + UserRecord.encode(namedAt) }

    /// Whether it names a Live Activity of the same device in the same activity.
    func isOfSameDevice(as other: LiveActivityName) -> Bool { activity == other.activity && udid == other.udid }
}
