/// A compact list of requests. Records share bodies and authorizations, and text is decoded on demand. Not thread-safe.
package struct Ledger: Sendable {
    package struct Record: Sendable {
        /// In milliseconds since 1970.
        package var time: UInt64
        /// The encoded `HeaderBlock`.
        package var fields: [UInt8]
        package var authorization: [UInt8]
        package var body: [UInt8]
        /// The mark of the service's decision; see `MockDecision`.
        package var mark: UInt16
        package var note: UInt32
        package var answer: Answer?
        /// The error code of the stream reset, if the stream was reset.
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

    /// Returns the record's index; nil if the ledger is full.
    mutating func append(_ record: Record) -> Int? {
        guard records.count < capacity else { return nil }
        records.append(record)
        return records.count - 1
    }

    mutating func setSent(_ index: Int, _ wasSent: Bool) {
        records[index].wasSent = wasSent
    }
}
