public import Delivery
import Encodings

/// The confirmed slots of a segment, usually one range. The activity's hash has them in ascending order as pairs of
/// first slot and end (4 bytes each, little-endian).
public struct SlotRanges: Equatable, Sendable {
    /// The ranges in ascending order, without overlaps.
    public private(set) var ranges: [Range<UInt32>]

    public init(_ ranges: [Range<UInt32>]) {
        self.ranges = ranges
    }

    package init(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        ranges = []
        while let first = reader.integer(UInt32.self), let end = reader.integer(UInt32.self), first < end {
            ranges.append(first..<end)
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for range in ranges {
            bytes.append(littleEndian: range.lowerBound, bytes: 4)
            bytes.append(littleEndian: range.upperBound, bytes: 4)
        }
        return bytes
    }

    /// True if the slot is one of them.
    public func contains(_ slot: UInt32) -> Bool { ranges.contains { $0.contains(slot) } }

    /// The number of slots in all ranges.
    public var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Returns the number of slots of a kind of route.
    public func count(of kind: RouteKind) -> Int {
        let first = RosterGeometry.firstSlot(of: kind)
        let band = first..<(first + UInt32(RosterGeometry.slotsPerBand))
        return ranges.reduce(0) { $0 + $1.clamped(to: band).count }
    }

    /// The pages that hold at least one of the slots, in ascending order.
    public var pages: [Int] {
        var pages: [Int] = []
        for range in ranges where !range.isEmpty {
            let first = RosterGeometry.page(ofSlot: range.lowerBound)
            let last = RosterGeometry.page(ofSlot: range.upperBound - 1)
            for page in first...last where page > (pages.last ?? -1) { pages.append(page) }
        }
        return pages
    }

    /// The indexes of the page's slots that belong to the segment.
    public func indexes(inPage page: Int) -> [Range<Int>] {
        let start = page * RosterGeometry.slotsPerPage
        let window = start..<(start + RosterGeometry.slotsPerPage)
        return ranges.compactMap { range in
            let part = (Int(range.lowerBound)..<Int(range.upperBound)).clamped(to: window)
            return part.isEmpty ? nil : (part.lowerBound - start)..<(part.upperBound - start)
        }
    }
}
