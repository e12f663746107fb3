public import Delivery
import Encodings

/// The slots of a segment that are confirmed: ranges in ascending order, as pairs of first and end (4 bytes each,
/// little-endian) in the activity's hash. Usually a single one.
public struct SlotRanges: Equatable, Sendable {
    /// In ascending order; none overlaps another.
    public private(set) var ranges: [Range<UInt32>]

    public init(_ ranges: [Range<UInt32>]) {
        self.ranges = ranges
    }

    public init(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        ranges = []
        while let first = reader.integer(UInt32.self), let end = reader.integer(UInt32.self), first < end {
            ranges.append(first..<end)
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
    }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for range in ranges {
            bytes.append(littleEndian: range.lowerBound, bytes: 4)
            bytes.append(littleEndian: range.upperBound, bytes: 4)
        }
        return bytes
    }

    /// Whether the slot is one of them.
    public func contains(_ slot: UInt32) -> Bool { ranges.contains { $0.contains(slot) } }

    /// How many slots they are, over all ranges.
    public var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// How many slots of the band of a kind of route they are.
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
