/// Any number of insider_ids in one piece of memory: for each id its length in one byte, then its bytes.
public struct InsiderIDRun: Sendable, Equatable {
    /// Alternating lengths and ids.
    public private(set) var bytes: [UInt8] = []
    /// The number of ids.
    public private(set) var count = 0

    public init() {}

    /// - Parameter bytes: Alternating lengths and ids.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
        forEach { _ in count += 1 }
    }

    /// True if there are no ids.
    public var isEmpty: Bool { bytes.isEmpty }

    /// - Parameter id: At most 255 bytes; a longer id is ignored.
    public mutating func append(_ id: some Collection<UInt8>) {
        guard let length = UInt8(exactly: id.count) else { return }
        bytes.append(length)
        bytes.append(contentsOf: id)
        count += 1
    }

    /// Removes all ids but keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Calls `body` with each id in order.
    public func forEach(_ body: (ArraySlice<UInt8>) -> Void) {
        var index = 0
        while index < bytes.count {
            let end = min(bytes.count, index + 1 + Int(bytes[index]))
            body(bytes[(index + 1)..<end])
            index = end
        }
    }
}
