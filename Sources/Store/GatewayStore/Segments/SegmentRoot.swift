import Encodings
import LiveActivity
public import TimeCore

/// What a stored segment comes to.
public struct SegmentSummary: Equatable, Sendable {
    /// Unique among the tenant's.
    public let name: String
    /// How many insider_ids it has.
    public let users: Int
    /// When it was last changed.
    public let updatedAt: WallTime

    public init(name: String, users: Int, updatedAt: WallTime) {
        self.name = name
        self.users = users
        self.updatedAt = updatedAt
    }
}

/// Where the ids of one partition are: the keys of its pages are named after the change that wrote them, and are never
/// written again.
struct SegmentPart: Equatable {
    let writer: UniqueID
    let users: Int
    let pages: Int

    /// As it stands in the segment's hash: sixteen bytes of writer, then users and pages (4 bytes each).
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

/// The hash of a stored segment, decoded: what it holds is exactly what its parts say, and they change in one step.
struct SegmentRoot {
    /// Of the change that made it what it is.
    let version: String
    let users: Int
    /// How many partitions there are.
    let partitions: Int
    /// By partition; one that holds nobody has none.
    let parts: [Int: SegmentPart]

    /// Nil when there is no such segment.
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

    /// Whether all parts can be read.
    var isWhole: Bool { parts.values.reduce(0) { $0 + $1.users } == users }

    /// The part that holds a partition's ids when there were as many partitions as given, which are not fewer.
    func part(holding partition: Int, of count: Int) -> SegmentPart? { parts[partition * partitions / count] }
}
