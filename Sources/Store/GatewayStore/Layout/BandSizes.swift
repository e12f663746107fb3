import Delivery
import RosterCore

/// The number of slots given out in each band, counted from the band's first slot.
struct BandSizes {
    /// The sizes in ascending order of the kind of route. A band without slots is missing or has the size 0.
    private(set) var sizes: [(kind: RouteKind, count: Int)] = []

    subscript(kind: RouteKind) -> Int {
        get { sizes.first { $0.kind == kind }?.count ?? 0 }
        set {
            if let place = sizes.firstIndex(where: { $0.kind == kind }) {
                sizes[place].count = newValue
            } else {
                let place = sizes.firstIndex { $0.kind.rawValue > kind.rawValue } ?? sizes.count
                sizes.insert((kind, newValue), at: place)
            }
        }
    }

    /// Gives out the next slot of a band.
    mutating func take(_ kind: RouteKind) -> UInt32 {
        let slot = next(kind)
        self[kind] += 1
        return slot
    }

    func next(_ kind: RouteKind) -> UInt32 { RosterGeometry.firstSlot(of: kind) + UInt32(self[kind]) }

    /// True if the slot is given out.
    func contains(_ slot: UInt32) -> Bool { slot < next(RosterGeometry.kind(ofSlot: slot)) }

    /// The sizes without the slots of unfinished pages.
    var wholePages: BandSizes {
        var whole = self
        for (kind, count) in sizes { whole[kind] = count - count % RosterGeometry.slotsPerPage }
        return whole
    }

    /// The sizes rounded up to whole partitions.
    var wholePartitions: BandSizes {
        var whole = self
        for (kind, count) in sizes {
            let size = RosterGeometry.slotsPerPartition
            whole[kind] = (count + size - 1) / size * size
        }
        return whole
    }

    var largest: Int { sizes.lazy.map(\.count).max() ?? 0 }

    /// All slots that are given out.
    var slots: SlotRanges {
        SlotRanges(sizes.lazy.filter { $0.count > 0 }.map { RosterGeometry.firstSlot(of: $0.kind)..<next($0.kind) })
    }

    /// The field of an activity's hash that holds a band's size.
    static func field(_ kind: RouteKind) -> String {
        kind == .apns ? "reserved" : "reserved:\(kind.rawValue)"
    }
}
