import MockKit

/// A request as the mock received it.
public struct LedgerEntry: Sendable, Equatable {
    /// A received header field.
    public struct Header: Sendable, Equatable {
        /// The name in lower case.
        public let name: String
        /// The value. U+FFFD replaces bytes that are not UTF-8.
        public let value: String
    }

    /// The decision of the mock.
    public enum Answer: Sendable, Equatable {
        case answered(status: Int, reason: String?)
        /// A rule reset the stream with this HTTP/2 error code.
        case reset(code: UInt32)
        /// A rule left the request unanswered or closed the connection.
        case none
    }

    /// The time when the request was complete, in milliseconds since 1970.
    public let time: UInt64
    /// The request's path.
    public let path: String
    /// The header fields in order, including pseudo-headers.
    public let headers: [Header]
    /// The request's body.
    public let payload: [UInt8]
    /// The device token in lower-case hexadecimal; empty if the path has none.
    public let token: String
    /// The value of `apns-push-type`; nil if it is missing or unknown.
    public let pushType: MockPushType?
    /// The payload's event; nil if it names none.
    public let event: MockPushEvent?
    /// True for a push to a channel, which the header `apns-channel-id` identifies.
    public let isPublish: Bool
    /// The number of devices that followed the channel; nil unless `isPublish`.
    public let followers: Int?
    /// True for an accepted start that names a missing channel. APNs does not report this error.
    public let namesUnknownChannel: Bool
    /// The decision of the mock. The client may not have received it; see `answerWasSent`.
    public let answer: Answer
    /// True if the answer was handed to the connection. False if the stream or the connection ended first.
    public let answerWasSent: Bool
    /// The number of the connection, from 1.
    public let connection: Int
    /// The stream's identifier on its connection.
    public let stream: Int32

    /// Returns the value of the first field of this name; nil if there is none.
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

extension LedgerEntry {
    /// The ledger note of a start that names a missing channel.
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
    /// The path's token in lower case; empty if the path has none.
    var token: String {
        let path = HeaderBlock.path(fields, HeaderName.all)
        let route = path.withUnsafeBufferPointer { RequestRouter.route(path: $0) }
        guard case .device(let range) = route else { return "" }
        return String(decoding: path.dropFirst(range.lowerBound), as: UTF8.self).lowercased()
    }
}
