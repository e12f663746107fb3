import Encodings
import LiveActivity
import TimeCore

/// The Live Activity that iOS refers to by a name, as a value in the user's hash. It holds the activity (16 bytes), the
/// udid, a zero, and the time of the first report with the name (6 bytes).
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
        let udid = Array(rest.prefix { $0 != 0 })
        var end = ByteReader(rest.dropFirst(udid.count + 1))
        guard let time = end.integer(bytes: UserRecord.timeLength) else { return nil }
        self.udid = udid
        namedAt = WallTime(milliseconds: Int64(time))
    }

    var bytes: [UInt8] { activity.bytes + udid + [0] + UserRecord.encode(namedAt) }

    /// True if both name Live Activities of one device in one activity.
    func isOfSameDevice(as other: LiveActivityName) -> Bool { activity == other.activity && udid == other.udid }
}
