import FlatMemory
public import TimeCore

/// The client's side of one HTTP/2 connection (RFC 9113) that carries requests made from templates: bytes in, bytes
/// and events out.
///
/// It owns streams, flow control in both directions, the peer's settings, our half of header compression, and what
/// waits to be sent. It does no I/O, has no clock, and in the steady state allocates nothing for a request or its
/// answer. It lives with its owner on one thread.
///
/// - `receive` takes what came from the peer and leaves what it means in `events`, in order.
/// - `open` writes a request; `tag` comes back with its events. Each tag gets exactly one of `accepted`, `answered` or
///   `reset`, unless its stream was cancelled.
/// - `output` has what must be sent, in order; the owner says with `outputTaken` how much it took.
/// - Once `failure` is set only `output` is of use; it ends with a GOAWAY.
///
/// Invariants:
/// 1. Never more streams are open than the peer allows, and none is opened after its GOAWAY.
/// 2. Never more body bytes are sent than both windows allow.
/// 3. Everything that the peer can make us keep is bounded: a frame, a header block, an answer's body and the
///    fields asked for, replies to PING and SETTINGS until all output has been taken.
/// 4. No bytes from the peer trap: they are understood, passed over, or end the stream or the connection.
public struct HTTP2Connection: ~Copyable {
    static let headerBlockLimit = 16_384
    /// CONTINUATION frames of one block.
    static let continuationLimit = 32
    /// Our SETTINGS_MAX_FRAME_SIZE, the smallest that may be announced.
    static let maximumFrameSize = 16_384
    static let receiveWindow = 16 << 20
    static let largestWindow = 0x7FFF_FFFF
    static let largestStream: UInt32 = 0x7FFF_FFFF
    /// Above this no stream is opened until the owner has taken output.
    static let outputLimit = 131_072
    /// Replies that the peer has called forth and that were not taken yet.
    static let replyLimit = 10_000
    /// How long the peer may take to acknowledge our SETTINGS (RFC 9113, section 6.5.3).
    static let settingsTimeout = TimeInterval.seconds(20)

    let limits: HTTP2Limits

    // What has happened.
    /// Why the connection cannot go on; nil while it can.
    public internal(set) var failure: HTTP2Failure?
    var happened = PlainBuffer<HTTP2Event>()
    var details: [UInt32: HTTP2AnswerDetails] = [:]
    /// Which fields of the answer are asked for, for each open stream of which some are: few ever do.
    var asked: [UInt32: [String]] = [:]

    // Out.
    var out = ByteQueue()
    var replies = 0
    var table = HeaderTable()
    var templates: [HTTP2RequestTemplate?] = []
    /// The templates' forms.
    var forms = PlainBuffer<RequestForm>()
    var images: UnsafeMutablePointer<RequestImage>
    static let imageCount = 32
    /// The next stream's identifier; all below have been opened.
    public internal(set) var nextStream: UInt32 = 1
    var streams = StreamTable()
    var bodies = UnfinishedBodies()
    var pingCounter: UInt64 = 0
    var pingsUnderWay = 0

    // In.
    var partial = PlainBuffer<UInt8>()
    var headerBlock = PlainBuffer<UInt8>()
    /// The HEADERS frame whose block goes on in CONTINUATION frames.
    var openBlock: FrameHeader?
    var continuations = 0
    let inflater = HeaderInflater()
    /// Bytes of DATA that the peer may still send on the connection, and those not given back yet.
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

    /// Begins with the connection preface, SETTINGS and windows that no answer of ours fills.
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

    /// What has happened, in order; emptied by `clearEvents`.
    public var events: UnsafeBufferPointer<HTTP2Event> { happened.all }

    /// Forgets the events, which have been read.
    public mutating func clearEvents() {
        happened.removeAll()
    }

    /// The details that an `answered` event refers to. They can be taken once, and stay until they are.
    public mutating func takeDetails(_ index: UInt32) -> HTTP2AnswerDetails {
        details.removeValue(forKey: index) ?? HTTP2AnswerDetails()
    }

    /// What has to be sent. Valid until the next change.
    public var output: UnsafeRawBufferPointer { out.bytes }

    /// The first `count` bytes of `output` are on their way.
    public mutating func outputTaken(_ count: Int) {
        let wasFull = out.count >= HTTP2Connection.outputLimit
        out.taken(count)
        // Who takes a little now and then does not read what it calls for.
        if out.count == 0 { replies = 0 }
        // Otherwise it was not the output that bodies wait for.
        if wasFull { sendBodies() }
    }

    /// Streams that are open.
    public var openStreams: Int { streams.count }

    /// Whether a stream may be opened now. When not, either more output has to be taken, or the peer has to speak
    /// first, or (`isFinished`) it will not come to that.
    public var acceptsStreams: Bool {
        !isFinished && out.count < HTTP2Connection.outputLimit && sendWindow > 0
            && streams.count < Int(peerLimit ?? .max)
    }

    /// Whether the peer's window for the whole connection lets bodies out.
    public var hasSendWindow: Bool { sendWindow > 0 }

    /// Whether no stream can be opened any more.
    public var isFinished: Bool {
        failure != nil || goAwayLast != nil || nextStream > HTTP2Connection.largestStream
    }

    // MARK: Ending

    /// The connection cannot go on (RFC 9113, section 5.4.1).
    mutating func fail(_ errorCode: UInt32, _ reason: String) {
        guard failure == nil else { return }
        failure = HTTP2Failure(errorCode: errorCode, reason: reason)
        writeGoAway(errorCode)
    }

    /// Tells the peer that we open no more streams and leave.
    public mutating func goAway() {
        guard failure == nil else { return }
        goAwayLast = goAwayLast ?? HTTP2Connection.largestStream
        writeGoAway(HTTP2ErrorCode.noError)
    }

    /// Looks at what has a deadline.
    mutating func check(_ now: MonotonicTime) {
        guard let settingsDeadline, settingsDeadline <= now else { return }
        fail(HTTP2ErrorCode.settingsTimeout, "our SETTINGS were not acknowledged")
    }
}
