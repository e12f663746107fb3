/// One push as the mock received it.
public struct LedgerEntry: Sendable, Equatable {
    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    public enum Answer: Sendable, Equatable {
        case answered(status: Int, reason: String?)
        /// The stream was reset by script with this code of HTTP/2.
        case reset(code: UInt32)
        /// None by script: silence, or the connection's end.
        case none
    }

    /// When the request was complete, in milliseconds since 1970.
    public let time: UInt64
    public let path: String
    /// In their order, pseudo-headers included.
    public let headers: [Header]
    public let payload: [UInt8]
    /// Lower-case hexadecimal; empty when the path has none.
    public let token: String
    public let event: MockPushEvent?
    /// What was decided. The client may not have got it: see `answerWasSent`.
    public let answer: Answer
    /// Whether the answer has been given to the connection. Stays false when that, or the stream, ended before.
    public let answerWasSent: Bool
    /// Counts the connections from 1.
    public let connection: Int
    public let stream: Int32

    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}
