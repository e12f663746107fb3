import MockKit

/// One push as the mock received it.
public struct LedgerEntry: Sendable, Equatable {
    /// A header field as it came.
    public struct Header: Sendable, Equatable {
        /// In lower case.
        public let name: String
        /// What is not UTF-8 is replaced by U+FFFD.
        public let value: String
    }

    /// What the mock decided.
    public enum Answer: Sendable, Equatable {
        case answered(status: Int, reason: String?)
        /// The stream was reset by script with this code of HTTP/2.
        case reset(code: UInt32)
        /// None by script: silence, or the connection's end.
        case none
    }

    /// When the request was complete, in milliseconds since 1970.
    public let time: UInt64
    /// The request's path.
    public let path: String
    /// In their order, pseudo-headers included.
    public let headers: [Header]
    /// The request's body.
    public let payload: [UInt8]
    /// Lower-case hexadecimal; empty when the path has none.
    public let token: String
    /// `apns-push-type`; nil when it is none of these.
    public let pushType: MockPushType?
    /// What the payload does; nil when it does not tell, as those of other types.
    public let event: MockPushEvent?
    /// Whether it is a push to a channel, whose identifier is the header `apns-channel-id`.
    public let isPublish: Bool
    /// Of a push to a channel: how many devices followed it.
    public let followers: Int?
    /// Of a start that was accepted: whether it names a channel that there is not, which the provider says nothing
    /// about.
    public let namesUnknownChannel: Bool
    /// What was decided. The client may not have got it: see `answerWasSent`.
    public let answer: Answer
    /// Whether the answer has been given to the connection. Stays false when that, or the stream, ended before.
    public let answerWasSent: Bool
    /// Counts the connections from 1.
    public let connection: Int
    /// The stream's identifier on its connection.
    public let stream: Int32

    /// The value of the first field of this name; nil when there is none.
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

extension LedgerEntry {
    /// What the ledger keeps of a start that names a channel that there is not.
    static let unknownChannelNote: UInt32 = 1

    init(_ record: Ledger.Record) {
        let fields = HeaderBlock.fields(record.fields, HeaderName.all, authorization: record.authorization)
        let mark = PushMark(record.mark)
        let reset = record.resetCode.map { Answer.reset(code: $0) }
        self.init(
            time: record.time, path: fields.first { $0.name == ":path" }?.value ?? "",
            headers: fields.map { Header(name: $0.name, value: $0.value) }, payload: record.body, token: record.token,
            pushType: mark.type, event: mark.event, isPublish: mark.isPublish,
            followers: mark.isPublish ? Int(record.note) : nil,
            namesUnknownChannel: !mark.isPublish && record.note == Self.unknownChannelNote,
            answer: record.answer.map { .answered(status: $0.status, reason: $0.reason) } ?? reset ?? .none,
            answerWasSent: record.wasSent, connection: record.connection, stream: record.stream)
    }
}

extension Ledger.Record {
    /// The token of the path in lower case; empty when there is none.
    var token: String {
        let path = HeaderBlock.path(fields, HeaderName.all)
        let route = path.withUnsafeBufferPointer { RequestRouter.route(path: $0) }
        guard case .device(let range) = route else { return "" }
        return String(decoding: path.dropFirst(range.lowerBound), as: UTF8.self).lowercased()
    }
}
