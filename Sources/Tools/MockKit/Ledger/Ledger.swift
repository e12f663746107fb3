/// All requests in a form that takes little room: bodies and authorizations are shared with whoever keeps them, text is
/// made when it is asked for. Not thread-safe.
package struct Ledger: Sendable {
    package struct Record: Sendable {
        /// Milliseconds since 1970.
        package var time: UInt64
        /// The bytes of a `HeaderBlock`.
        package var fields: [UInt8]
        package var authorization: [UInt8]
        package var body: [UInt8]
        /// What the service decided to keep: see `MockDecision`.
        package var mark: UInt16
        package var note: UInt32
        package var answer: Answer?
        /// The code that the stream was reset with.
        package var resetCode: UInt32?
        package var wasSent: Bool
        package var connection: Int
        package var stream: Int32
    }

    private(set) var records: [Record] = []
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The record's index; nil when the ledger is full.
    mutating func append(_ record: Record) -> Int? {
        guard records.count < capacity else { return nil }
        records.append(record)
        return records.count - 1
    }

    mutating func setSent(_ index: Int, _ wasSent: Bool) {
        records[index].wasSent = wasSent
    }
}
