/// How the slots of a roster are cut into pages and partitions. A slot is a device's number in an activity.
public enum RosterGeometry {
    /// A page is read and written at once.
    ///
    /// The number is chosen for what Redis's allocator hands out (jemalloc: four sizes for each doubling): with tokens
    /// of 32 bytes a page of push-to-start tokens fills 28 KiB and one of update tokens 32 KiB, to within 700 bytes.
    /// 1,024 slots would take 40 KiB for each.
    public static let slotsPerPage = 868
    /// A partition lives on one node of a cluster.
    public static let pagesPerPartition = 64

    static let slotsPerPartition = slotsPerPage * pagesPerPartition

    public static func page(ofSlot slot: UInt32) -> Int { Int(slot) / slotsPerPage }

    public static func index(ofSlot slot: UInt32) -> Int { Int(slot) % slotsPerPage }

    public static func slot(page: Int, index: Int) -> UInt32 { UInt32(page * slotsPerPage + index) }

    public static func partition(ofPage page: Int) -> Int { page / pagesPerPartition }

    public static func partition(ofSlot slot: UInt32) -> Int { partition(ofPage: page(ofSlot: slot)) }
}
