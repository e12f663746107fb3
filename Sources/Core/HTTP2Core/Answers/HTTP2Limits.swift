/// Limits on reading and keeping an answer.
public struct HTTP2Limits: Hashable, Sendable {
    /// The maximum number of body bytes that are kept.
    public let keptBody: Int
    /// The maximum number of body bytes that are read. A longer body is cut off; the answer's status counts.
    public let body: Int

    /// The defaults, which suit error reasons: 1,024 bytes kept, 32,768 read.
    public init() {
        self.init(keptBody: 1_024, body: 32_768)
    }

    /// - Parameters:
    ///   - keptBody: From 0 to 2^30.
    ///   - body: From 0 to 2^30.
    public init(keptBody: Int, body: Int) {
        self.keptBody = min(max(0, keptBody), 1 << 30)
        self.body = min(max(0, body), 1 << 30)
    }

    /// A window larger than the longest body. Stream windows are never replenished (RFC 9113, section 6.9.2). Nil if
    /// the initial window suffices.
    var streamWindow: Int? {
        let window = body + HTTP2Connection.maximumFrameSize
        return window > 65_535 ? window : nil
    }
}
