import Encodings
import LiveActivity
import TimeCore

/// What somebody has yet to do about pages of stored segments, in a hash of the tenant's under the id of the change
/// that it belongs to: one letter, when it was noted (8 bytes of epoch milliseconds), then for each part its partition
/// (4 bytes) and the part (see `SegmentPart`).
///
/// - `w`: the pages are about to become part of a segment, and lose their expiry before they do. When the gateway that
///   does it dies in between, somebody else takes the cleanup task over and lets them expire.
/// - `x`: the pages are no part of a segment any more. They expire when nobody can be reading them.
struct SegmentCleanup {
    enum Kind: UInt8 {
        case writing = 0x77
        case expiring = 0x78
    }

    let kind: Kind
    let notedAt: WallTime
    let parts: [(partition: Int, part: SegmentPart)]

    init(_ kind: Kind, notedAt: WallTime, parts: [(partition: Int, part: SegmentPart)]) {
        self.kind = kind
        self.notedAt = notedAt
        self.parts = parts
    }

    var bytes: [UInt8] {
        var bytes = [kind.rawValue]
        bytes.append(littleEndian: notedAt.milliseconds, bytes: 8)
        for (partition, part) in parts {
            bytes.append(littleEndian: partition, bytes: 4)
            bytes += part.bytes
        }
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let kind = reader.byte().flatMap(Kind.init), let time = reader.integer(UInt64.self) else { return nil }
        var parts: [(partition: Int, part: SegmentPart)] = []
        while let partition = reader.integer(UInt32.self), let part = reader.take(24).flatMap({ SegmentPart($0) }) {
            parts.append((Int(partition), part))
        }
        self.init(kind, notedAt: WallTime(milliseconds: Int64(clamping: time)), parts: parts)
    }
}
