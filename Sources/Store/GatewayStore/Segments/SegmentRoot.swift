import Encodings
import LiveActivity
public import TimeCore

/// The name, size and last change of a stored segment.
public struct SegmentSummary: Equatable, Sendable {
    /// The name, unique among the tenant's segments.
    public let name: String
    /// The number of insider_ids.
    public let users: Int
    /// The time of the last change.
    public let updatedAt: WallTime

    public init(name: String, users: Int, updatedAt: WallTime) {
        self.name = name
        self.users = users
        self.updatedAt = updatedAt
    }
}

/// The ids of one partition. The keys of its pages contain the change that wrote them, so pages are never overwritten.
struct SegmentPart: Equatable {
    let writer: UniqueID
    let users: Int
    let pages: Int

    /// The bytes in the segment's hash: the writer (16 bytes), users and pages (4 bytes each).
    var bytes: [UInt8] {
        var bytes = writer.bytes
        bytes.append(littleEndian: users, bytes: 4)
        bytes.append(littleEndian: pages, bytes: 4)
        return bytes
    }

    init(writer: UniqueID, users: Int, pages: Int) {
        self.writer = writer
        self.users = users
        self.pages = pages
    }

    init?(_ bytes: some Collection<UInt8>) {
        var reader = ByteReader(bytes)
        guard let writer = reader.take(16).flatMap({ UniqueID(bytes: $0) }), let users = reader.integer(UInt32.self),
            let pages = reader.integer(UInt32.self)
        else { return nil }
        self.init(writer: writer, users: Int(users), pages: Int(pages))
    }

    func keys(_ partition: Int) -> [String] {
        (0..<pages).map { Keys.segmentPage(writer, partition, $0) }
    }
}

/// A decoded hash of a stored segment. Its parts determine its ids, and change in one step.
struct SegmentRoot {
    /// The id of the last change.
    let version: String
    let users: Int
    let partitions: Int
    /// The parts by partition. Empty partitions have none.
    let parts: [Int: SegmentPart]

    /// Returns nil if the segment does not exist or is damaged.
    init?(_ fields: [RedisField]) {
        var values: [String: [UInt8]] = [:]
        var parts: [Int: SegmentPart] = [:]
        for (name, value) in fields {
            let name = String(decoding: name, as: UTF8.self)
            if let partition = Int(name) { parts[partition] = SegmentPart(value) } else { values[name] = value }
        }
        func text(_ name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
        guard let version = text("version"), let users = text("users").flatMap({ Int($0) }),
            let partitions = text("partitions").flatMap({ Int($0) }),
            (1...SegmentGeometry.buckets).contains(partitions), partitions & (partitions - 1) == 0
        else { return nil }
        self.version = version
        self.users = users
        self.partitions = partitions
        self.parts = parts
    }

    /// True if the parts have all users, so that none is missing or damaged.
    var isWhole: Bool { parts.values.reduce(0) { $0 + $1.users } == users }

    /// The part that contains a partition's ids, if the ids are divided into `count` partitions. The count is not
    /// smaller than the segment's own.
    func part(holding partition: Int, of count: Int) -> SegmentPart? { parts[partition * partitions / count] }
}
