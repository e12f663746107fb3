/// A header field as bytes.
struct HeaderField: Hashable {
    var name: [UInt8]
    var value: [UInt8]

    /// What it takes up in a table (RFC 7541, section 4.1).
    var size: Int { name.count + value.count + 32 }
}

/// What the peer's dynamic table holds, as far as our encoder has filled it (RFC 7541, section 2.3.2).
///
/// The encoder decides; the peer's table follows block by block, so blocks must go out in the order in which they were
/// encoded.
struct HeaderTable {
    /// Newest first.
    private var entries: [HeaderField] = []
    private var size = 0
    private(set) var capacity = HeaderTable.standardCapacity
    /// Grows with every change of the table. Blocks that refer to it are valid for one number only.
    private(set) var version: UInt64 = 0
    /// Size updates that the next block has to begin with (RFC 7541, section 4.2).
    private(set) var pendingUpdates: [Int] = []

    /// Both what peers start with and the most that we use.
    static let standardCapacity = 4_096
    private static let firstDynamicIndex = 62

    /// The peer's SETTINGS_HEADER_TABLE_SIZE has come, and our acknowledgment goes out before the next block.
    mutating func limitReceived(_ limit: Int) {
        let new = min(limit, HeaderTable.standardCapacity)
        guard new != capacity || !pendingUpdates.isEmpty else { return }
        capacity = new
        evict(for: 0)
        version += 1
        // When it shrinks and grows again between two blocks the peer has to hear of the lowest size as well.
        let lowest = min(pendingUpdates.min() ?? new, new)
        pendingUpdates = lowest < new ? [lowest, new] : [new]
    }

    mutating func updatesSent() {
        pendingUpdates = []
        version += 1
    }

    /// The index of exactly this field, if it is in the static or the dynamic table.
    func index(of field: HeaderField) -> Int? {
        if let index = StaticTable.index(of: field) { return index }
        return entries.firstIndex(of: field).map { HeaderTable.firstDynamicIndex + $0 }
    }

    /// An index whose entry has this name.
    func index(ofName name: [UInt8]) -> Int? {
        if let index = StaticTable.index(ofName: name) { return index }
        return entries.firstIndex { $0.name == name }.map { HeaderTable.firstDynamicIndex + $0 }
    }

    /// The field has been sent as a literal with incremental indexing.
    mutating func inserted(_ field: HeaderField) {
        version += 1
        evict(for: field.size)
        guard field.size <= capacity else { return }
        entries.insert(field, at: 0)
        size += field.size
    }

    private mutating func evict(for room: Int) {
        while size + room > capacity, let last = entries.popLast() { size -= last.size }
    }
}

/// The part of the static table that requests of ours can use (RFC 7541, appendix A).
enum StaticTable {
    private static let fields: [HeaderField: Int] = [
        field(":method", "GET"): 2, field(":method", "POST"): 3, field(":path", "/"): 4,
        field(":scheme", "http"): 6, field(":scheme", "https"): 7,
    ]

    private static let names: [[UInt8]: Int] = [
        Array(":authority".utf8): 1, Array(":method".utf8): 2, Array(":path".utf8): 4, Array(":scheme".utf8): 6,
        Array("authorization".utf8): 23, Array("content-length".utf8): 28, Array("content-type".utf8): 31,
        Array("user-agent".utf8): 58,
    ]

    static func index(of field: HeaderField) -> Int? { fields[field] }

    static func index(ofName name: [UInt8]) -> Int? { names[name] }

    private static func field(_ name: String, _ value: String) -> HeaderField {
        HeaderField(name: Array(name.utf8), value: Array(value.utf8))
    }
}
