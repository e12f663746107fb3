/// All pushes in a form that takes little room: payloads and authorizations are shared with the memory of verdicts,
/// text is made when it is asked for. Not thread-safe.
struct Ledger: Sendable {
    struct Record: Sendable {
        /// Milliseconds since 1970.
        var time: UInt64
        /// A `HeaderBlock`.
        var headers: [UInt8]
        var authorization: [UInt8]
        var payload: [UInt8]
        var pushType: MockPushType?
        var event: MockPushEvent?
        var answer: Answer?
        /// The code that the stream was reset with.
        var resetCode: UInt32?
        var wasSent: Bool
        var connection: Int
        var stream: Int32

        /// The token of the path in lower case; empty when there is none.
        var token: String {
            let path = HeaderBlock.path(headers)
            let route = path.withUnsafeBufferPointer { RequestRouter.route(path: $0) }
            guard case .device(let range) = route else { return "" }
            return String(decoding: path.dropFirst(range.lowerBound), as: UTF8.self).lowercased()
        }

        var entry: LedgerEntry {
            let reset = resetCode.map { LedgerEntry.Answer.reset(code: $0) }
            let fields = HeaderBlock.fields(headers, authorization: authorization)
            return LedgerEntry(
                time: time, path: fields.first { $0.name == ":path" }?.value ?? "", headers: fields, payload: payload,
                token: token, pushType: pushType, event: event,
                answer: answer.map { .answered(status: $0.status, reason: $0.reason) } ?? reset ?? .none,
                answerWasSent: wasSent, connection: connection, stream: stream)
        }
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
