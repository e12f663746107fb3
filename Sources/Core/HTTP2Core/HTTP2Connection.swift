import FlatMemory
public import TimeCore

/// The client's side of one HTTP/2 connection (RFC 9113), for requests from templates: bytes in, bytes and events out.
///
/// Owns: streams, flow control in both directions, the peer's settings, the header compression of requests, and the
/// output. It does no I/O and has no clock. In the steady state it allocates nothing for a request or its answer. It
/// lives on its owner's thread.
///
/// - `receive` processes the peer's bytes and appends to `events`, in order.
/// - `open` writes a request; `tag` comes back with its events. Each tag gets exactly one of `accepted`, `answered` or
///   `reset`, unless its stream was cancelled.
/// - `output` has the bytes to send, in order; the owner reports the sent ones with `outputTaken`.
/// - Once `failure` is set only `output` is of use; it ends with a GOAWAY.
///
/// Invariants:
/// 1. The peer's limit of open streams is never exceeded, and no stream is opened after its GOAWAY.
/// 2. Body bytes never exceed either window.
/// 3. All memory that the peer can cause is bounded: a frame, a header block, an answer's body and requested fields,
///    replies to PING and SETTINGS until all output has been taken.
/// 4. No bytes from the peer trap: they are processed, ignored, or end the stream or the connection.
public struct HTTP2Connection: ~Copyable {
    static let headerBlockLimit = 16_384
    /// The maximum number of CONTINUATION frames of a block.
    static let continuationLimit = 32
    /// The local SETTINGS_MAX_FRAME_SIZE, the smallest value that the RFC allows.
    static let maximumFrameSize = 16_384
    static let receiveWindow = 16 << 20
    static let largestWindow = 0x7FFF_FFFF
    static let largestStream: UInt32 = 0x7FFF_FFFF
    /// The output size in bytes above which no stream is opened until the owner has taken output.
    static let outputLimit = 131_072
    /// The maximum number of unsent replies to the peer.
    static let replyLimit = 10_000
    /// The deadline for the peer's acknowledgment of SETTINGS (RFC 9113, section 6.5.3).
    static let settingsTimeout = TimeInterval.seconds(20)

    let limits: HTTP2Limits

    /// The reason for the connection's failure; nil while it works.
    public internal(set) var failure: HTTP2Failure?
    var happened = PlainBuffer<HTTP2Event>()
    var details: [UInt32: HTTP2AnswerDetails] = [:]

    // Outgoing.
    var out = ByteQueue()
    var replies = 0
    var table = HeaderTable()
    var templates: [HTTP2RequestTemplate?] = []
    /// The templates' forms.
    var forms = PlainBuffer<RequestForm>()
    var images: UnsafeMutablePointer<RequestImage>
    static let imageCount = 32
    /// The next stream's identifier; all lower ones are used.
    public internal(set) var nextStream: UInt32 = 1
    var streams = StreamTable()
    var bodies = UnfinishedBodies()
    var pingCounter: UInt64 = 0
    var pingsUnderWay = 0

    // Incoming.
    var partial = PlainBuffer<UInt8>()
    var headerBlock = PlainBuffer<UInt8>()
    /// The HEADERS frame whose block continues in CONTINUATION frames.
    var openBlock: FrameHeader?
    var continuations = 0
    let inflater = HeaderInflater()
    /// The bytes of DATA that the peer may still send on the connection, and the received ones not returned yet.
    var receiveRoom = 65_535
    var consumed = 0

    // The peer.
    var hasPeerSettings = false
    var peerLimit: UInt32?
    var peerInitialWindow = 65_535
    var peerFrameSize = 16_384
    var sendWindow = 65_535
    var goAwayLast: UInt32?
    var settingsDeadline: MonotonicTime?

    /// Writes the connection preface, SETTINGS, and a connection window that answers do not exhaust.
    public init(now: MonotonicTime, limits: HTTP2Limits = HTTP2Limits()) {
        self.limits = limits
        images = .allocate(capacity: HTTP2Connection.imageCount)
        images.initialize(repeating: .none, count: HTTP2Connection.imageCount)
        settingsDeadline = now + HTTP2Connection.settingsTimeout
        introduceOurselves()
    }

    deinit {
        for index in 0..<HTTP2Connection.imageCount { images[index].deallocate() }
        images.deallocate()
    }

    // MARK: Reading

    /// The events in order, until `clearEvents`.
    public var events: UnsafeBufferPointer<HTTP2Event> { happened.all }

    /// Removes the events after they were processed.
    public mutating func clearEvents() {
        happened.removeAll()
    }

    /// Removes and returns the details of an `answered` event. They stay until taken.
    public mutating func takeDetails(_ index: UInt32) -> HTTP2AnswerDetails {
        details.removeValue(forKey: index) ?? HTTP2AnswerDetails()
    }

    /// The bytes to send. Valid until the next change.
    public var output: UnsafeRawBufferPointer { out.bytes }

    /// Removes the first `count` bytes of `output` after they were sent.
    public mutating func outputTaken(_ count: Int) {
        let wasFull = out.count >= HTTP2Connection.outputLimit
        out.taken(count)
        // A peer that always leaves some output unread does not reset the count.
        if out.count == 0 { replies = 0 }
        // Otherwise the bodies do not wait for output space.
        if wasFull { sendBodies() }
    }

    /// The number of open streams.
    public var openStreams: Int { streams.count }

    /// True if a stream may be opened now. If false, output must be taken or the peer must send a frame; if
    /// `isFinished`, it stays false.
    public var acceptsStreams: Bool {
        !isFinished && out.count < HTTP2Connection.outputLimit && sendWindow > 0
            && streams.count < Int(peerLimit ?? .max)
    }

    /// True if the peer's connection window is not exhausted.
    public var hasSendWindow: Bool { sendWindow > 0 }

    /// True if no stream can ever be opened again.
    public var isFinished: Bool {
        failure != nil || goAwayLast != nil || nextStream > HTTP2Connection.largestStream
    }

    // MARK: Ending

    /// Fails the connection (RFC 9113, section 5.4.1).
    mutating func fail(_ errorCode: UInt32, _ reason: String) {
        guard failure == nil else { return }
        failure = HTTP2Failure(errorCode: errorCode, reason: reason)
        writeGoAway(errorCode)
    }

    /// Sends GOAWAY: no more streams will be opened.
    public mutating func goAway() {
        guard failure == nil else { return }
        goAwayLast = goAwayLast ?? HTTP2Connection.largestStream
        writeGoAway(HTTP2ErrorCode.noError)
    }

    /// Fails the connection if a deadline has passed.
    mutating func check(_ now: MonotonicTime) {
        guard let settingsDeadline, settingsDeadline <= now else { return }
        fail(HTTP2ErrorCode.settingsTimeout, "our SETTINGS were not acknowledged")
    }
}
