/// How the slots of a roster are cut into pages and partitions. A slot is a device's number in an activity.
public enum RosterGeometry {
    /// A page is read and written at once: about 35 KB of tokens.
    public static let slotsPerPage = 1024
    /// A partition lives on one node of a cluster.
    public static let pagesPerPartition = 64

    public static func page(ofSlot slot: UInt32) -> Int { Int(slot) / slotsPerPage }

    public static func index(ofSlot slot: UInt32) -> Int { Int(slot) % slotsPerPage }

    public static func slot(page: Int, index: Int) -> UInt32 { UInt32(page * slotsPerPage + index) }

    public static func partition(ofPage page: Int) -> Int { page / pagesPerPartition }

    public static func partition(ofSlot slot: UInt32) -> Int { partition(ofPage: page(ofSlot: slot)) }
}
