/// What an HTTP/2 session has to tell after it was given bytes. Plain values: handling them allocates nothing.
enum HTTP2Event {
    /// The server's SETTINGS; nil when it sets no limit of concurrent streams.
    case settings(maximumConcurrentStreams: UInt32?)
    /// The whole answer to a stream, with status 200. The stream is over.
    case accepted(tag: UInt32)
    /// The whole answer to a stream, with another status; `HTTP2Session.takeDetails` has the rest. The stream is over.
    case refused(tag: UInt32, status: UInt16, details: UInt32)
    /// The stream is over without an answer. `REFUSED_STREAM` also stands for streams above a GOAWAY's last one: they
    /// were not processed.
    case reset(tag: UInt32, errorCode: UInt32)
    /// The server takes no more streams. Those that it will not process are told as `reset`, now or later.
    case goAway(errorCode: UInt32)
    case pingAcknowledged
}

/// The parts of an answer other than 200 that matter.
struct HTTP2AnswerDetails {
    /// At most `HTTP2Session.bodyLimit` bytes of the body.
    var body: [UInt8] = []
    /// Seconds.
    var retryAfter: UInt32?
}

/// RFC 9113, section 7.
enum HTTP2ErrorCode {
    static let refusedStream: UInt32 = 7
    static let cancel: UInt32 = 8
}
