import LiveActivity
import RosterCore

extension BroadcastOrder {
    /// The indexes of the page's slots that are addressed, in ascending order.
    func indexes(inPage page: Int) -> [Range<Int>] {
        switch scope {
        case .wholeSegment: return slots.indexes(inPage: page)
        case .slots(let slots):
            // Slots are in ascending order, so the page's are next to each other.
            let first = slots.partitioningIndex { RosterGeometry.page(ofSlot: $0) >= page }
            return slots[first...].prefix { RosterGeometry.page(ofSlot: $0) == page }.map { slot in
                let index = RosterGeometry.index(ofSlot: slot)
                return index..<(index + 1)
            }
        }
    }
}

extension [UInt32] {
    /// The first index whose element satisfies the condition, which holds from some element on; the count if none does.
    fileprivate func partitioningIndex(_ holds: (UInt32) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension PageOfDevices {
    /// Reads the devices of a whole page that a broadcast addresses.
    package init(_ page: Int, of order: BroadcastOrder, _ bytes: [UInt8], _ statuses: [UInt8]) {
        self.init(page, order.indexes(inPage: page), bytes, statuses, kind: order.kind)
    }
}
