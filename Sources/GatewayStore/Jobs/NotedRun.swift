/// Devices of a start that are noted together before they are handed to a connection, as elements of the list of their
/// hold, see `Scripts+Starts`.
enum NotedRun {
    enum Kind: UInt8 {
        /// They are about to be sent something.
        case noted = 0x2B
        /// They have not been sent anything, and may be noted again.
        case released = 0x2D
    }

    /// An element about devices of one page.
    static func element(_ kind: Kind, page: Int, _ indexes: [UInt16]) -> [UInt8] {
        var bytes = [kind.rawValue]
        bytes.append(littleEndian: UInt32(clamping: page), bytes: 4)
        return bytes + ranges(indexes)
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
