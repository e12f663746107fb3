import Encodings

/// Devices of a start's page that a gateway records before it hands them to a connection, or releases if it did not
/// send to them. An element of the list of its hold: see `open-start.lua`.
public struct NotedRun: Sendable {
    /// The raw values are stored.
    public enum Kind: UInt8, Sendable {
        /// The start is about to be sent to them.
        case noted = 0x2B
        /// Nothing was sent to them, and they may be recorded again.
        case released = 0x2D
    }

    /// The state of the devices.
    public let kind: Kind
    /// Ascends within a hold. Of two elements for a device, the one with the higher number counts.
    public let number: UInt32
    /// The page's number in the roster.
    public let page: Int
    /// The devices' indexes in the page. Consecutive indexes are stored as one range.
    public let indexes: [UInt16]

    public init(_ kind: Kind, number: UInt32, page: Int, indexes: [UInt16]) {
        self.kind = kind
        self.number = number
        self.page = page
        self.indexes = indexes
    }

    var element: [UInt8] {
        var bytes = [kind.rawValue]
        bytes.append(littleEndian: number, bytes: 4)
        bytes.append(littleEndian: UInt32(clamping: page), bytes: 4)
        return bytes + NotedRun.ranges(indexes)
    }

    /// Encodes indexes as ranges, with the first one and the count in two bytes each.
    static func ranges(_ indexes: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        var start = 0
        while start < indexes.count {
            var end = start + 1
            while end < indexes.count, indexes[end] == indexes[end - 1] &+ 1 { end += 1 }
            bytes.append(littleEndian: indexes[start], bytes: 2)
            bytes.append(littleEndian: UInt16(end - start), bytes: 2)
            start = end
        }
        return bytes
    }
}
