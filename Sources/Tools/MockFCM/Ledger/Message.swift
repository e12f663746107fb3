import MockKit

extension MockFCM {
    /// A message as the mock received it.
    public struct Message: Sendable, Equatable {
        /// The decision of the mock.
        public enum Answer: Sendable, Equatable {
            /// - Parameter error: The code of FCM or of Google's APIs; `HTML_` and the status for a page.
            case answered(status: Int, error: String?)
            /// A rule reset the stream with this HTTP/2 error code.
            case reset(code: UInt32)
            /// A rule left the request unanswered or closed the connection.
            case none
        }

        /// The time when the request was complete, in milliseconds since 1970.
        public let time: UInt64
        /// The request's path.
        public let path: String
        /// The header fields in order, including pseudo-headers: a lower-case name and a value each.
        public let headers: [[String]]
        /// The request's body.
        public let body: [UInt8]
        /// The registration token; empty if the message has none.
        public let token: String
        /// The event in the message's data; nil if it names none.
        public let event: Event?
        /// The number of the access token, from 1; nil if the token was invalid.
        public let accessToken: Int?
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
            headers.first { $0[0] == name }?[1]
        }
    }
}

extension MockFCM.Message {
    init(_ record: Ledger.Record) {
        let fields = HeaderBlock.fields(record.fields, FieldName.all, authorization: record.authorization)
        let reset = record.resetCode.map { Answer.reset(code: $0) }
        self.init(
            time: record.time, path: fields.first { $0.name == ":path" }?.value ?? "",
            headers: fields.map { [$0.name, $0.value] }, body: record.body,
            token: String(decoding: MessageChecks.verdict(record.body).token, as: UTF8.self),
            event: RequestMark.event(record.mark), accessToken: record.note == 0 ? nil : Int(record.note),
            answer: record.answer.map { .answered(status: $0.status, error: $0.reason) } ?? reset ?? .none,
            answerWasSent: record.wasSent, connection: record.connection, stream: record.stream)
    }
}
