import Encodings
import LiveActivity
import TimeCore

/// A reservation of a schedule of a user's app.
struct ReservedSchedule: Equatable {
    let activity: UniqueID
    let id: UniqueID
    /// The size of its payload.
    let bytes: Int
    /// The second of the reservation.
    let since: WallTime

    /// The bytes of a reservation in its user's text.
    static let length = 40

    /// Parses a user's text.
    static func all(in text: [UInt8]) -> [ReservedSchedule] {
        var reader = ByteReader(text)
        var schedules: [ReservedSchedule] = []
        while let schedule = ReservedSchedule(&reader) { schedules.append(schedule) }
        return schedules
    }

    private init?(_ reader: inout ByteReader) {
        guard let activity = reader.take(16).flatMap({ UniqueID(bytes: Array($0)) }),
            let id = reader.take(16).flatMap({ UniqueID(bytes: Array($0)) }),
            let bytes = reader.integer(UInt32.self), let since = reader.integer(UInt32.self)
        else { return nil }
        self.activity = activity
        self.id = id
        self.bytes = Int(bytes)
        self.since = WallTime(milliseconds: Int64(since) * 1000)
    }
}
