import Encodings
import LiveActivity
import TimeCore

/// A position in a listing of activities: after this entry of the index. Its text is opaque to clients and may change
/// with any version.
public struct ActivityCursor: Equatable, Sendable {
    let entry: ActivityIndexEntry

    private static let version: UInt8 = 1

    init(_ entry: ActivityIndexEntry) {
        self.entry = entry
    }

    /// Returns nil for a text that does not come from `text`.
    public init?(_ text: String) {
        guard let bytes = Hexadecimal.decode(text.utf8), bytes.first == ActivityCursor.version,
            let entry = ActivityIndexEntry(bytes.dropFirst())
        else { return nil }
        self.entry = entry
    }

    /// The text for the client to return: hex digits.
    public var text: String { Hexadecimal.encode([ActivityCursor.version] + entry.bytes) }
}

/// A member of a tenant's index: the creation time (six bytes of epoch milliseconds, big-endian) and the id (sixteen
/// bytes). The order of bytes is therefore the order of time.
struct ActivityIndexEntry: Equatable, Sendable {
    let createdAt: WallTime
    let id: UniqueID

    private static let timeLength = 6
    static let millisecondsPerHour: Int64 = 3_600_000

    init(createdAt: WallTime, id: UniqueID) {
        self.createdAt = createdAt
        self.id = id
    }

    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == ActivityIndexEntry.timeLength + 16,
            let id = UniqueID(bytes: bytes.dropFirst(ActivityIndexEntry.timeLength))
        else { return nil }
        let milliseconds = bytes.prefix(ActivityIndexEntry.timeLength).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        self.init(createdAt: WallTime(milliseconds: milliseconds), id: id)
    }

    var bytes: [UInt8] {
        let milliseconds = createdAt.milliseconds
        return (0..<ActivityIndexEntry.timeLength).map {
            UInt8(truncatingIfNeeded: milliseconds >> (8 * Int64(ActivityIndexEntry.timeLength - 1 - $0)))
        } + id.bytes
    }

    /// The hour whose index has the entry, in hours since the epoch.
    var hour: Int64 { createdAt.milliseconds / ActivityIndexEntry.millisecondsPerHour }
}
