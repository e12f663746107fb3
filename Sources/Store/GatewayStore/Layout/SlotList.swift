import Encodings
import RosterCore

/// Slots in ascending order, each once, as a broadcast's record stores them: four bytes each, little-endian. If it is
/// shorter, the list is a mark and the first slot and the end of each run, four bytes each. Skipped devices are often
/// neighbors, so runs save space.
enum SlotList {
    /// The mark of runs. It makes the length one more than a multiple of eight, which a list of slots never has.
    private static let runs: UInt8 = 1

    static func encode(_ slots: [UInt32]) -> [UInt8] {
        // The greatest slot has no successor to end its run.
        let ranges = slots.last == .max ? [] : ranges(slots)
        var bytes: [UInt8] = []
        guard slots.last != .max, 1 + ranges.count * 8 < slots.count * 4 else {
            bytes.reserveCapacity(slots.count * 4)
            for slot in slots { bytes.append(littleEndian: slot, bytes: 4) }
            return bytes
        }
        bytes.reserveCapacity(1 + ranges.count * 8)
        bytes.append(runs)
        return bytes + SlotRanges(ranges).bytes
    }

    static func decode(_ bytes: [UInt8]) -> [UInt32] {
        if bytes.count % 8 == 1, bytes[0] == runs {
            return SlotRanges(Array(bytes[1...])).ranges.flatMap { Array($0) }
        }
        var reader = ByteReader(bytes)
        var slots: [UInt32] = []
        slots.reserveCapacity(bytes.count / 4)
        while let slot = reader.integer(UInt32.self) { slots.append(slot) }
        return slots
    }

    /// Groups consecutive slots into ranges.
    private static func ranges(_ slots: [UInt32]) -> [Range<UInt32>] {
        slots.reduce(into: []) { ranges, slot in
            if let last = ranges.last, last.upperBound == slot {
                ranges[ranges.count - 1] = last.lowerBound..<(slot + 1)
            } else {
                ranges.append(slot..<(slot + 1))
            }
        }
    }

    /// Groups slots, which are in ascending order, by page.
    static func byPage(_ slots: [UInt32]) -> [(page: Int, indexes: [Int])] {
        var pages: [(page: Int, indexes: [Int])] = []
        for slot in slots {
            let page = RosterGeometry.page(ofSlot: slot)
            if pages.last?.page != page { pages.append((page, [])) }
            pages[pages.count - 1].indexes.append(RosterGeometry.index(ofSlot: slot))
        }
        return pages
    }

    /// The pages that hold one of the slots, in ascending order.
    static func pages(_ slots: [UInt32]) -> [Int] {
        slots.reduce(into: []) { pages, slot in
            let page = RosterGeometry.page(ofSlot: slot)
            if pages.last != page { pages.append(page) }
        }
    }
}
