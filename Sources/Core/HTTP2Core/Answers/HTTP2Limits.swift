/// How much of an answer is read and kept.
public struct HTTP2Limits: Hashable, Sendable {
    /// More of a body is not kept, in bytes.
    public let keptBody: Int
    /// A longer body is cut off, in bytes; the answer's status counts.
    public let body: Int

    /// What is enough for reasons: 1,024 bytes are kept, and 32,768 read.
    public init() {
        self.init(keptBody: 1_024, body: 32_768)
    }

    /// - Parameters:
    ///   - keptBody: 0 to 2^30.
    ///   - body: from 0 to 2^30.
    public init(keptBody: Int, body: Int) {
        self.keptBody = min(max(0, keptBody), 1 << 30)
        self.body = min(max(0, body), 1 << 30)
    }

    /// The window of a stream that such a body does not fill, since none is given back (RFC 9113, section 6.9.2); nil
    /// while the one that all begin with is enough.
    var streamWindow: Int? {
        let window = body + HTTP2Connection.maximumFrameSize
        return window > 65_535 ? window : nil
    }
}
