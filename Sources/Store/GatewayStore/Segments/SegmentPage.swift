import Encodings

/// A page of a stored segment: packed ids in ascending order, each as its difference from the one before. A head byte
/// before each entry has the number of shared leading bytes (upper half, up to 14). Its lower half is the number of
/// other bytes, less one. The head byte 0xF0 means that both numbers follow in a byte of their own each.
enum SegmentPage {
    private static let longForm: UInt8 = 0xF0

    /// - Parameter ids: Normalized ids, so each differs from the one before and none is empty.
    static func encode(_ ids: SegmentIDs, _ range: Range<Int>) -> [UInt8] {
        var page: [UInt8] = []
        page.reserveCapacity(range.count * 8)
        var last: ArraySlice<UInt8> = []
        for index in range {
            let id = ids.id(index)
            let shared = zip(id, last).prefix { $0 == $1 }.count
            let rest = id.count - shared
            if shared < 15, (1...16).contains(rest) {
                page.append(UInt8(shared << 4 | (rest - 1)))
            } else {
                page.append(longForm)
                page.append(UInt8(truncatingIfNeeded: shared))
                page.append(UInt8(truncatingIfNeeded: rest))
            }
            page.append(contentsOf: id.dropFirst(shared))
            last = id
        }
        return page
    }

    /// Calls `body` with each packed id. Stops and returns false at the first damaged byte.
    static func forEach(_ page: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) -> Bool {
        var reader = ByteReader(page)
        var id: [UInt8] = []
        while let head = reader.byte() {
            var shared = Int(head >> 4)
            var rest = Int(head & 15) + 1
            if head & 0xF0 == longForm {
                guard let long = reader.byte(), let length = reader.byte() else { return false }
                (shared, rest) = (Int(long), Int(length))
            }
            guard shared <= id.count, let bytes = reader.take(rest) else { return false }
            id.removeSubrange(shared...)
            id.append(contentsOf: bytes)
            body(id[...])
        }
        return true
    }
}
