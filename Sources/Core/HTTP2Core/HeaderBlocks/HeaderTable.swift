/// A header field as bytes.
struct HeaderField: Equatable {
    var name: [UInt8]
    var value: [UInt8]

    /// The size of an entry in a table, in bytes (RFC 7541, section 4.1).
    var size: Int { name.count + value.count + 32 }
}

/// The peer's dynamic table, as far as our encoder has filled it (RFC 7541, section 2.3.2).
///
/// The peer's table follows the encoder block by block, so blocks are sent in the order in which they were encoded.
struct HeaderTable {
    /// The fields, newest first.
    private var entries: [HeaderField] = []
    private var size = 0
    private(set) var capacity = HeaderTable.standardCapacity
    /// A number that grows with every change of the table. A block that refers to the table is valid for one number.
    private(set) var version: UInt64 = 0
    /// The size updates with which the next block begins (RFC 7541, section 4.2).
    private(set) var pendingUpdates: [Int] = []

    /// The initial size of a peer's table, and the largest size that the encoder uses.
    static let standardCapacity = 4_096
    private static let firstDynamicIndex = 62

    /// Takes the peer's SETTINGS_HEADER_TABLE_SIZE. The acknowledgment is sent before the next block.
    mutating func limitReceived(_ limit: Int) {
        let new = min(limit, HeaderTable.standardCapacity)
        guard new != capacity || !pendingUpdates.isEmpty else { return }
        capacity = new
        evict(for: 0)
        version += 1
        // If the size shrinks and grows again between two blocks, the peer needs the lowest size as well.
        let lowest = min(pendingUpdates.min() ?? new, new)
        pendingUpdates = lowest < new ? [lowest, new] : [new]
    }

    mutating func updatesSent() {
        pendingUpdates = []
        version += 1
    }

    /// The index of this name with this value; nil if neither table has it.
    func index(of field: HeaderField) -> Int? {
        if let index = StaticTable.index(of: field) { return index }
        return entries.firstIndex(of: field).map { HeaderTable.firstDynamicIndex + $0 }
    }

    /// The index of an entry with this name; nil if neither table has one.
    func index(ofName name: [UInt8]) -> Int? {
        if let index = StaticTable.index(ofName: name) { return index }
        return entries.firstIndex { $0.name == name }.map { HeaderTable.firstDynamicIndex + $0 }
    }

    /// Records a field that was sent as a literal with incremental indexing.
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

/// The part of the static table that the gateway's requests can use (RFC 7541, appendix A).
enum StaticTable {
    // A comparison with these few entries costs less than the hash of a field.
    private static let fields = [
        entry(2, ":method", "GET"), entry(3, ":method", "POST"), entry(4, ":path", "/"),
        entry(6, ":scheme", "http"), entry(7, ":scheme", "https"),
    ]

    private static let names = [
        entry(1, ":authority"), entry(2, ":method"), entry(4, ":path"), entry(6, ":scheme"),
        entry(23, "authorization"), entry(28, "content-length"), entry(31, "content-type"), entry(58, "user-agent"),
    ]

    static func index(of field: HeaderField) -> Int? { fields.first { $0.field == field }?.index }

    static func index(ofName name: [UInt8]) -> Int? { names.first { $0.field.name == name }?.index }

    private static func entry(
        _ index: Int, _ name: String, _ value: String = ""
    ) -> (index: Int, field: HeaderField) {
        (index, HeaderField(name: Array(name.utf8), value: Array(value.utf8)))
    }
}
