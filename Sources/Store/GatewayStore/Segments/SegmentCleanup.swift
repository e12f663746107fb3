import Encodings
import LiveActivity
import TimeCore

/// A cleanup task for pages of stored segments, in a hash of the tenant under the id of its change. It has one letter,
/// the time (8 bytes of epoch milliseconds), then each part with its partition (4 bytes) before it, see `SegmentPart`.
///
/// - `w`: the pages are about to become part of a segment, and lose their expiry before. If the gateway dies in
///   between, another one takes over the task and lets them expire.
/// - `x`: the pages are no longer part of a segment. They expire after `segmentPagesOutlive`.
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
