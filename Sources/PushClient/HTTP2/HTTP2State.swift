import CNghttp2

/// What the callbacks of libnghttp2 work on. It lives at a fixed address that the library hands to them.
struct HTTP2State: ~Copyable {
    /// One stream of ours. Plain, so that the table is a flat piece of memory.
    struct Stream {
        var tag: UInt32 = 0
        var number: Int32 = 0
        var status: UInt16 = 0
        var isInUse = false
        var isCancelled = false
        var isReported = false
        var hasDetails = false
        var bodySent = 0
        var body = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private(set) var failure: String?
    /// Whether the server has ever set a limit of concurrent streams.
    var hasStreamLimit = false
    var events = PlainBuffer<HTTP2Event>()
    var streams = PlainBuffer<Stream>()
    private var free = PlainBuffer<UInt32>()
    /// By stream, until its answer is whole; then by the event's number. Only answers other than 200 have one.
    var details: [UInt32: HTTP2AnswerDetails] = [:]
    /// Numbers of streams that could not be begun.
    var unsendable: [Int32] = []

    mutating func fail(_ reason: String) {
        if failure == nil { failure = reason }
    }

    mutating func insert(tag: UInt32, body: UnsafeRawBufferPointer) -> UInt32 {
        let index = free.popLast() ?? UInt32(streams.count)
        let stream = Stream(tag: tag, isInUse: true, body: body)
        if Int(index) == streams.count { streams.append(stream) } else { streams[Int(index)] = stream }
        return index
    }

    mutating func remove(_ index: UInt32) {
        streams[Int(index)].isInUse = false
        free.append(index)
    }

    /// The stream's answer is whole.
    mutating func answered(_ index: UInt32) {
        let stream = streams[Int(index)]
        guard !stream.isReported else { return }
        streams[Int(index)].isReported = true
        guard !stream.isCancelled else {
            if stream.hasDetails { details[index] = nil }
            return
        }
        if stream.status == 200 {
            events.append(.accepted(tag: stream.tag))
        } else {
            events.append(.refused(tag: stream.tag, status: stream.status, details: index | HTTP2State.finished))
            if stream.hasDetails { details[index | HTTP2State.finished] = details.removeValue(forKey: index) }
        }
    }

    /// The library has forgotten the stream.
    mutating func closed(_ index: UInt32, errorCode: UInt32) {
        let stream = streams[Int(index)]
        guard stream.isInUse else { return }
        if !stream.isReported, !stream.isCancelled { events.append(.reset(tag: stream.tag, errorCode: errorCode)) }
        if stream.hasDetails, !stream.isReported { details[index] = nil }
        remove(index)
    }

    mutating func reportUnsendable() {
        let numbers = Set(unsendable)
        unsendable.removeAll()
        for index in 0..<streams.count where streams[index].isInUse && numbers.contains(streams[index].number) {
            closed(UInt32(index), errorCode: HTTP2ErrorCode.refusedStream)
        }
    }

    /// Marks a number of details that belong to an event. A stream's index is used again at once, so an event that is
    /// handled in time keeps its own.
    private static let finished: UInt32 = 1 << 31
}
