/// Any number of insider_ids in one piece of memory: of each its length in one byte, then its bytes.
public struct InsiderIDRun: Sendable, Equatable {
    /// Lengths and ids in turn.
    public private(set) var bytes: [UInt8] = []
    /// How many ids there are.
    public private(set) var count = 0

    public init() {}

    /// - Parameter bytes: lengths and ids in turn.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
        forEach { _ in count += 1 }
    }

    /// Whether there is no id.
    public var isEmpty: Bool { bytes.isEmpty }

    /// - Parameter id: at most 255 bytes; of a longer one nothing is taken.
    public mutating func append(_ id: some Collection<UInt8>) {
        guard let length = UInt8(exactly: id.count) else { return }
        bytes.append(length)
        bytes.append(contentsOf: id)
        count += 1
    }

    /// Keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Calls `body` with each id in its order.
    public func forEach(_ body: (ArraySlice<UInt8>) -> Void) {
        var index = 0
        while index < bytes.count {
            let end = min(bytes.count, index + 1 + Int(bytes[index]))
            body(bytes[(index + 1)..<end])
            index = end
        }
    }
}
