import Encodings

/// Devices of a page of a start of which one thing is told together, before they are handed to a connection or after
/// they turned out not to have been: an element of the list of their hold, see `open-start.lua`.
public struct NotedRun: Sendable {
    /// What is told; the raw values are stored.
    public enum Kind: UInt8, Sendable {
        /// They are about to be sent something.
        case noted = 0x2B
        /// They have not been sent anything, and may be noted again.
        case released = 0x2D
    }

    /// What is told of the devices.
    public let kind: Kind
    /// Of two that tell of a device the one with the higher number counts. Ascends within a hold.
    public let number: UInt32
    /// The page's number in the roster.
    public let page: Int
    /// The devices' indexes in the page. Ascending neighbours are kept as one range.
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

    /// Indexes as ranges: the first and the count in two bytes each.
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
