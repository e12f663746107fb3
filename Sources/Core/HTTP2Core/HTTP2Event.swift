/// What a connection has to tell after it was given bytes. Plain values: handling them allocates nothing.
public enum HTTP2Event: Equatable, Sendable, BitwiseCopyable {
    /// The peer's SETTINGS; nil when it sets no limit of concurrent streams.
    case settings(maximumConcurrentStreams: UInt32?)
    /// An answer with a 2xx status to a request that asks for no fields of it. The stream is over.
    case accepted(tag: UInt32)
    /// Any other answer; `HTTP2Connection.takeDetails` has the rest, as far as it came before the stream was over.
    case answered(tag: UInt32, status: UInt16, details: UInt32)
    /// The stream is over without an answer. `REFUSED_STREAM` also stands for streams above a GOAWAY's last one: they
    /// were not processed.
    case reset(tag: UInt32, errorCode: UInt32)
    /// The peer takes no more streams. Told after those that it will not process.
    case goAway(errorCode: UInt32)
    case pingAcknowledged
}

/// The parts of an answer that matter besides its status.
public struct HTTP2AnswerDetails: Equatable, Sendable {
    /// A header field.
    public struct Field: Equatable, Sendable {
        /// As it was asked for.
        public let name: String
        /// The bytes that came.
        public let value: [UInt8]
    }

    /// At most `HTTP2Limits.keptBody` bytes of the body.
    public var body: [UInt8] = []
    /// Whether the answer was over before its end had come: the stream was reset, or the body exceeded
    /// `HTTP2Limits.body`.
    public var isCutShort = false
    /// `Retry-After` in seconds; nil unless it is a number of one to nine digits.
    public var retryAfter: UInt32?
    /// Those that the request's template asks for, in the order in which they came. Trailers are not among them.
    public var fields: [Field] = []

    /// Nothing has come.
    public init() {}

    init(retryAfter: UInt32?, fields: [Field]) {
        self.retryAfter = retryAfter
        self.fields = fields
    }
}

/// Why a connection cannot go on.
public struct HTTP2Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the GOAWAY says that we sent for it.
    public let errorCode: UInt32
    /// What is wrong, for logs.
    public let reason: String

    public var description: String { "HTTP/2: \(reason) (error code \(errorCode))" }
}
