import Delivery

/// The division of a roster's slots into pages, partitions and bands. A slot is a device's number in an activity.
public enum RosterGeometry {
    /// The slots of a page, which is read and written at once.
    ///
    /// The number fits the sizes of Redis's allocator (jemalloc: four for each doubling). Tokens have 32 bytes. A page
    /// then fills 28 KiB (push-to-start) or 32 KiB (updates) to within 700 bytes. 1,024 slots would take 40 KiB.
    public static let slotsPerPage = 868
    /// The pages of a partition, which one node of a cluster holds.
    public static let pagesPerPartition = 64
    /// The partitions of a band. A band has the devices of one kind of route. So a slot gives the kind of its device.
    public static let partitionsPerBand = 1024

    package static let slotsPerPartition = slotsPerPage * pagesPerPartition
    package static let slotsPerBand = slotsPerPartition * partitionsPerBand
    /// All possible pages.
    package static let pages = 0..<(RouteKind.count * partitionsPerBand * pagesPerPartition)

    /// Returns the page that contains a slot.
    public static func page(ofSlot slot: UInt32) -> Int { Int(slot) / slotsPerPage }

    /// Returns the index of a slot in its page.
    public static func index(ofSlot slot: UInt32) -> Int { Int(slot) % slotsPerPage }

    /// Returns the slot at an index of a page.
    public static func slot(page: Int, index: Int) -> UInt32 { UInt32(page * slotsPerPage + index) }

    /// Returns the partition that contains a page.
    public static func partition(ofPage page: Int) -> Int { page / pagesPerPartition }

    /// Returns the partition that contains a slot.
    public static func partition(ofSlot slot: UInt32) -> Int { partition(ofPage: page(ofSlot: slot)) }

    /// Returns the kind of route of a slot's device.
    public static func kind(ofSlot slot: UInt32) -> RouteKind { kind(ofPartition: partition(ofSlot: slot)) }

    /// Returns the kind of route of a page's devices.
    public static func kind(ofPage page: Int) -> RouteKind { kind(ofPartition: partition(ofPage: page)) }

    /// Returns the kind of route of a partition's devices.
    public static func kind(ofPartition partition: Int) -> RouteKind {
        RouteKind(rawValue: UInt8(clamping: partition / partitionsPerBand))
    }

    /// - Parameter pages: In ascending order.
    package static func partitions(ofPages pages: [Int]) -> [Int] {
        pages.reduce(into: []) { partitions, page in
            let partition = partition(ofPage: page)
            if partitions.last != partition { partitions.append(partition) }
        }
    }

    /// - Parameter pages: In ascending order.
    package static func kinds(ofPages pages: [Int]) -> [RouteKind] {
        pages.reduce(into: []) { kinds, page in
            let kind = kind(ofPage: page)
            if kinds.last != kind { kinds.append(kind) }
        }
    }

    package static func kinds(of slots: SlotRanges) -> [RouteKind] {
        slots.ranges.reduce(into: []) { kinds, range in
            guard !range.isEmpty else { return }
            let last = kind(ofSlot: range.upperBound - 1).rawValue
            for value in kind(ofSlot: range.lowerBound).rawValue...last
            where value > (kinds.last?.rawValue ?? 0) || kinds.isEmpty {
                kinds.append(RouteKind(rawValue: value))
            }
        }
    }

    package static func firstPage(of kind: RouteKind) -> Int {
        Int(kind.rawValue) * partitionsPerBand * pagesPerPartition
    }

    /// Returns the first slot of a kind of route.
    public static func firstSlot(of kind: RouteKind) -> UInt32 { UInt32(Int(kind.rawValue) * slotsPerBand) }
}
