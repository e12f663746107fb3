/// What a connection has to tell after it was given bytes. Plain values: handling them allocates nothing.
public enum HTTP2Event: Equatable, Sendable, BitwiseCopyable {
    /// The peer's SETTINGS; nil when it sets no limit of concurrent streams.
    case settings(maximumConcurrentStreams: UInt32?)
    /// The answer to a request, with status 200. The stream is over.
    case accepted(tag: UInt32)
    /// The answer to a request, with another status; `HTTP2Connection.takeDetails` has the rest, as far as it came before
    /// the stream was over.
    case refused(tag: UInt32, status: UInt16, details: UInt32)
    /// The stream is over without an answer. `REFUSED_STREAM` also stands for streams above a GOAWAY's last one: they
    /// were not processed.
    case reset(tag: UInt32, errorCode: UInt32)
    /// The peer takes no more streams. Told after those that it will not process.
    case goAway(errorCode: UInt32)
    case pingAcknowledged
}

/// The parts of an answer other than 200 that matter.
public struct HTTP2AnswerDetails: Equatable, Sendable {
    /// At most `HTTP2Connection.keptBodyBytes` bytes of the body.
    public var body: [UInt8] = []
    /// `Retry-After` in seconds; nil unless it is a number of one to nine digits.
    public var retryAfter: UInt32?

    public init() {}
}

/// Why a connection cannot go on.
public struct HTTP2Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the GOAWAY says that we sent for it.
    public let errorCode: UInt32
    public let reason: String

    public var description: String { "HTTP/2: \(reason) (error code \(errorCode))" }
}
