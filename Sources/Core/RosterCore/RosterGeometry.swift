import Delivery

/// How the slots of a roster are cut into pages, partitions and bands. A slot is a device's number in an activity.
public enum RosterGeometry {
    /// A page is read and written at once.
    ///
    /// The number is chosen for what Redis's allocator hands out (jemalloc: four sizes for each doubling): with tokens
    /// of 32 bytes a page of push-to-start tokens fills 28 KiB and one of update tokens 32 KiB, to within 700 bytes.
    /// 1,024 slots would take 40 KiB for each.
    public static let slotsPerPage = 868
    /// A partition lives on one node of a cluster.
    public static let pagesPerPartition = 64
    /// A band has the devices of one kind of route, so a slot tells how its device is reached, and all devices of a
    /// page are reached alike. Those that registered before there was more than one kind are all in the first.
    public static let partitionsPerBand = 1024

    public static let slotsPerPartition = slotsPerPage * pagesPerPartition
    public static let slotsPerBand = slotsPerPartition * partitionsPerBand
    /// All that there can be.
    public static let pages = 0..<(RouteKind.count * partitionsPerBand * pagesPerPartition)

    public static func page(ofSlot slot: UInt32) -> Int { Int(slot) / slotsPerPage }

    public static func index(ofSlot slot: UInt32) -> Int { Int(slot) % slotsPerPage }

    /// The slot at an index of a page.
    public static func slot(page: Int, index: Int) -> UInt32 { UInt32(page * slotsPerPage + index) }

    public static func partition(ofPage page: Int) -> Int { page / pagesPerPartition }

    public static func partition(ofSlot slot: UInt32) -> Int { partition(ofPage: page(ofSlot: slot)) }

    public static func kind(ofSlot slot: UInt32) -> RouteKind { kind(ofPartition: partition(ofSlot: slot)) }

    public static func kind(ofPage page: Int) -> RouteKind { kind(ofPartition: partition(ofPage: page)) }

    public static func kind(ofPartition partition: Int) -> RouteKind {
        RouteKind(rawValue: UInt8(clamping: partition / partitionsPerBand))
    }

    /// - Parameter pages: in ascending order.
    public static func partitions(ofPages pages: [Int]) -> [Int] {
        pages.reduce(into: []) { partitions, page in
            let partition = partition(ofPage: page)
            if partitions.last != partition { partitions.append(partition) }
        }
    }

    /// - Parameter pages: in ascending order.
    public static func kinds(ofPages pages: [Int]) -> [RouteKind] {
        pages.reduce(into: []) { kinds, page in
            let kind = kind(ofPage: page)
            if kinds.last != kind { kinds.append(kind) }
        }
    }

    public static func kinds(of slots: SlotRanges) -> [RouteKind] {
        slots.ranges.reduce(into: []) { kinds, range in
            guard !range.isEmpty else { return }
            let last = kind(ofSlot: range.upperBound - 1).rawValue
            for value in kind(ofSlot: range.lowerBound).rawValue...last
            where value > (kinds.last?.rawValue ?? 0) || kinds.isEmpty {
                kinds.append(RouteKind(rawValue: value))
            }
        }
    }

    public static func firstPage(of kind: RouteKind) -> Int { Int(kind.rawValue) * partitionsPerBand * pagesPerPartition }

    public static func firstSlot(of kind: RouteKind) -> UInt32 { UInt32(Int(kind.rawValue) * slotsPerBand) }
}
