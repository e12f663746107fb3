/// The last few distinct authorization headers, so that what all requests of an hour share is kept once and looked at
/// once.
package struct KnownAuthorizations {
    /// One header's value. The number tells two apart; one that was forgotten and came again gets a new number.
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
