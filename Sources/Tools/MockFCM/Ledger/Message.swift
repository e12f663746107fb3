import MockKit

extension MockFCM {
    /// One message as the mock received it.
    public struct Message: Sendable, Equatable {
        /// What the mock decided.
        public enum Answer: Sendable, Equatable {
            /// - Parameter error: FCM's code, or Google's; `HTML_` and the status for a page.
            case answered(status: Int, error: String?)
            /// The stream was reset by script with this code of HTTP/2.
            case reset(code: UInt32)
            /// None by script: silence, or the connection's end.
            case none
        }

        /// When the request was complete, in milliseconds since 1970.
        public let time: UInt64
        /// The request's path.
        public let path: String
        /// The fields' names in lower case and values, in their order, pseudo-headers included.
        public let headers: [[String]]
        /// The request's body.
        public let body: [UInt8]
        /// The registration token; empty when the message has none.
        public let token: String
        /// What it does; nil when it does not tell.
        public let event: Event?
        /// Which access token it came with, counted from 1; nil when that was not good.
        public let accessToken: Int?
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
