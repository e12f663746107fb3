/// An event of a connection after it received bytes. A plain value: handling it allocates nothing.
public enum HTTP2Event: Equatable, Sendable, BitwiseCopyable {
    /// The peer's SETTINGS; nil when it sets no limit of concurrent streams.
    case settings(maximumConcurrentStreams: UInt32?)
    /// An answer with a 2xx status. The stream is closed.
    case accepted(tag: UInt32)
    /// Any other answer. `HTTP2Connection.takeDetails` returns the rest, as far as it arrived before the stream closed.
    case answered(tag: UInt32, status: UInt16, details: UInt32)
    /// The stream is closed without an answer. `REFUSED_STREAM` also represents streams above a GOAWAY's last one: they
    /// were not processed.
    case reset(tag: UInt32, errorCode: UInt32)
    /// The peer accepts no more streams. It follows the resets of streams that will not be processed.
    case goAway(errorCode: UInt32)
    case pingAcknowledged
}

/// The parts of an answer besides its status.
public struct HTTP2AnswerDetails: Equatable, Sendable {
    /// At most `HTTP2Limits.keptBody` bytes of the body.
    public var body: [UInt8] = []
    /// `Retry-After` in seconds; nil unless it is a number of one to nine digits.
    public var retryAfter: UInt32?

    /// No details.
    public init() {}

    init(retryAfter: UInt32?) { self.retryAfter = retryAfter }
}

/// The reason for a connection's failure.
public struct HTTP2Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error code in the local GOAWAY.
    public let errorCode: UInt32
    /// The error, for logs.
    public let reason: String

    public var description: String { "HTTP/2: \(reason) (error code \(errorCode))" }
}
