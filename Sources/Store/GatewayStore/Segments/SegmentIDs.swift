import Glibc
import LiveActivity

/// The packed ids (`PackedName`) of one partition, to sort, merge and write in pages.
struct SegmentIDs {
    private struct Entry {
        /// The first eight bytes, big-endian, which decide nearly all comparisons.
        let head: UInt64
        let start: Int
        let length: Int
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func append(_ id: some Collection<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: id)
        var head: UInt64 = 0
        for index in 0..<8 {
            head = head << 8 | (start + index < bytes.count ? UInt64(bytes[start + index]) : 0)
        }
        entries.append(Entry(head: head, start: start, length: bytes.count - start))
    }

    mutating func append(_ run: InsiderIDRun) {
        run.forEach { append($0) }
    }

    /// Sorts the ids in ascending order and removes duplicates.
    mutating func normalize() {
        bytes.withUnsafeBufferPointer { bytes in
            entries.sort { SegmentIDs.order($0, $1, bytes) < 0 }
            var kept = 0
            for index in entries.indices {
                if kept > 0, SegmentIDs.order(entries[kept - 1], entries[index], bytes) == 0 { continue }
                entries[kept] = entries[index]
                kept += 1
            }
            entries.removeSubrange(kept...)
        }
    }

    /// Returns the ids of a normalized list that are not in another one.
    func subtracting(_ other: SegmentIDs) -> SegmentIDs {
        var result = SegmentIDs()
        var position = 0
        for entry in entries {
            let id = bytes[entry.start..<(entry.start + entry.length)]
            while position < other.count, other.precedes(at: position, id) { position += 1 }
            if position < other.count, other.id(position).elementsEqual(id) { continue }
            result.append(id)
        }
        return result
    }

    func id(_ index: Int) -> ArraySlice<UInt8> {
        let entry = entries[index]
        return bytes[entry.start..<(entry.start + entry.length)]
    }

    private func precedes(at index: Int, _ id: ArraySlice<UInt8>) -> Bool {
        self.id(index).lexicographicallyPrecedes(id)
    }

    private static func order(_ left: Entry, _ right: Entry, _ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
        guard left.head == right.head else { return left.head < right.head ? -1 : 1 }
        let common = min(left.length, right.length)
        if common > 0, let base = bytes.baseAddress {
            let order = memcmp(base + left.start, base + right.start, common)
            guard order == 0 else { return order }
        }
        return left.length == right.length ? 0 : left.length < right.length ? -1 : 1
    }
}
