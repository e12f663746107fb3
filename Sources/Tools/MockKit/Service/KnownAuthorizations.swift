/// A cache of recent authorization headers. Many requests share a header, so it is stored and verified only once.
package struct KnownAuthorizations {
    /// A header's value with a number that identifies it. An evicted value gets a new number when it returns.
    package struct Entry: Sendable {
        package let value: [UInt8]
        package let number: Int
    }

    private var entries: [Entry] = []
    private var nextNumber = 0
    private static let capacity = 32

    package init() {}

    package mutating func entry(for value: UnsafeBufferPointer<UInt8>) -> Entry {
        if let index = entries.firstIndex(where: { $0.value.hasBytes(value) }) {
            if index > 0 { entries.swapAt(0, index) }
            return entries[0]
        }
        let entry = Entry(value: Array(value), number: nextNumber)
        nextNumber += 1
        if entries.count == Self.capacity { entries.removeLast() }
        entries.insert(entry, at: 0)
        return entry
    }
}
