import HTTP2Core
import TimeCore

/// Reads bytes as a story of a connection: its owner's actions and the peer's bytes. The fuzzer and the replay of its
/// findings share it.
///
/// The lowest three bits of a step's first byte are its kind. Kinds 0 and 1 are raw bytes of the peer. Kinds 2 and 3
/// are a frame with a valid head, in one piece or two. Kind 4 opens streams.
/// Kind 5 cancels a stream, and kind 6 takes output. Kind 7 is a PING, GOAWAY, another template, or frames of the peer.
struct FuzzCase: ~Copyable {
    private var rest: ArraySlice<UInt8>
    private var connection = HTTP2Connection(now: MonotonicTime(nanoseconds: 0))
    private var streams: [UInt32] = []
    /// Tags of open streams.
    private var open: Set<UInt32> = []
    private var limit: UInt32?
    private var output: [UInt8] = []
    private var violation: String?

    /// Returns the engine's violation; nil if there is none.
    static func violation(_ bytes: [UInt8]) -> String? {
        var story = FuzzCase(bytes)
        return story.run()
    }

    private init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    private mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }

    private mutating func run() -> String? {
        for index in 0..<4 { setTemplate(index, filler: 1) }
        while !rest.isEmpty, violation == nil {
            let step = byte()
            let argument = Int(step >> 3)
            switch step & 7 {
            case 0, 1: feed(bytes(Int(byte()) + 1))
            case 2, 3: feedFrame(cut: step & 7 == 3 ? argument : 0)
            case 4: for _ in 0...(argument >> 2) { openStream(argument & 3) }
            case 5: cancel(argument)
            case 6: take(argument == 31 ? .max : argument * argument * 40)
            default: other(argument)
            }
            checkCounts()
        }
        take(.max)
        checkFrames()
        return violation
    }

    private mutating func other(_ argument: Int) {
        switch argument % 8 {
        case 0: connection.ping()
        case 1: connection.goAway()
        case 2: setTemplate(argument == 26 ? 3 : argument % 3, filler: 2)
        case 3: feed([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0])
        case 4: feed([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, byte()])
        case 5: for _ in 0..<600 { feed([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]) }
        case 6: feed([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0x40, 0])
        default:
            // The largest allowed frame, filled with one byte of the story.
            let beginning = (0..<8).map { _ in byte() }
            let filler = beginning[3]
            let content = beginning[..<3] + [UInt8](repeating: filler, count: 16_384 - 3)
            feed([0, 0x40, 0, beginning[4] % 10, beginning[5], 0, 0, beginning[6], beginning[7]] + content)
        }
    }

    private mutating func setTemplate(_ index: Int, filler: UInt8) {
        let fields: [HTTP2RequestTemplate.Field] = [
            .constant(name: ":method", value: Array("POST".utf8)), .path(prefix: [0x2F]),
            .secret(name: "authorization", value: [filler, 0x62]), .numbered(name: "apns-id", prefix: [0x63]),
        ]
        if index == 3 { return setOtherTemplate(fields, hasBody: filler == 1) }
        let body = [UInt8](repeating: filler, count: [1, 300, 40_000][index])
        connection.setTemplate(
            try? HTTP2RequestTemplate(
                fields: fields + [
                    .constant(name: .init("x-\(index)"), value: [UInt8](repeating: filler, count: 900 * index))
                ], hole: .path(.hexadecimal), body: HTTP2RequestBody(body)), at: index)
    }

    /// Sets the template with a token as it is or in the body.
    private mutating func setOtherTemplate(_ fields: [HTTP2RequestTemplate.Field], hasBody: Bool) {
        let body = hasBody ? HTTP2RequestBody([UInt8](repeating: 3, count: 20)) : nil
        connection.setTemplate(
            try? HTTP2RequestTemplate(
                fields: fields, hole: hasBody ? .body(at: 7, .hexadecimal) : .path(.verbatim), body: body), at: 3)
    }

    private mutating func openStream(_ argument: Int) {
        let tag = UInt32(streams.count)
        let accepts = connection.acceptsStreams
        let stream = [UInt8](repeating: 0xAB, count: argument * 5).withUnsafeBytes {
            connection.open(template: argument, token: $0, number: tag, tag: tag)
        }
        if (stream != nil) != accepts { violation = "open and acceptsStreams disagree" }
        guard let stream else { return }
        if stream != tag * 2 + 1 { violation = "stream \(stream) for the request \(tag)" }
        streams.append(stream)
        open.insert(tag)
        if let limit, open.count > Int(limit) { violation = "\(open.count) streams, \(limit) are allowed" }
        if connection.failure != nil { violation = "a stream after a failure" }
    }

    private mutating func cancel(_ argument: Int) {
        let index = streams.count - 1 - argument
        guard streams.indices.contains(index) else { return }
        _ = connection.cancel(streams[index])
        open.remove(UInt32(index))
    }

    private mutating func feedFrame(cut: Int) {
        let head = bytes(4)
        guard head.count == 4 else { return }
        let content = bytes(Int(head[3]))
        // The known frame types and two more, on low or high ids.
        let stream = head[2] & 0xF0 == 0xF0 ? UInt32(head[2]) << 16 : UInt32(head[2])
        let frame =
            [0, 0, UInt8(content.count), head[0] % 12, head[1], UInt8(stream >> 24), UInt8(stream >> 16 & 0xFF)]
            + [UInt8(stream >> 8 & 0xFF), UInt8(stream & 0xFF)] + content
        feed(Array(frame.prefix(cut)))
        feed(Array(frame.dropFirst(cut)))
    }

    private mutating func feed(_ bytes: [UInt8]) {
        let hasFailed = connection.failure != nil
        bytes.withUnsafeBytes { connection.receive($0, now: MonotonicTime(nanoseconds: 1)) }
        if hasFailed, connection.events.count > 0 { violation = "events after a failure" }
        if connection.events.count > bytes.count + streams.count + 1 { violation = "more events than bytes" }
        for index in connection.events.indices { handle(connection.events[index]) }
        connection.clearEvents()
    }

    private mutating func handle(_ event: HTTP2Event) {
        switch event {
        case .accepted(let tag), .reset(let tag, _): end(tag)
        case .answered(let tag, let status, let index):
            end(tag)
            let details = connection.takeDetails(index)
            if details.body.count > HTTP2Limits().keptBody { violation = "\(details.body.count) bytes kept" }
            if !(101...999).contains(status) { violation = "answered with \(status)" }
            if status == 200 { violation = "a 200 with details" }
        case .settings(let maximum): limit = maximum
        case .goAway:
            if connection.acceptsStreams { violation = "streams after GOAWAY" }
        case .pingAcknowledged: break
        }
    }

    private mutating func end(_ tag: UInt32) {
        if open.remove(tag) == nil { violation = "an event for the request \(tag), which is not open" }
    }

    private mutating func take(_ limit: Int) {
        let taken = min(limit, connection.output.count)
        output += connection.output[..<taken]
        connection.outputTaken(taken)
    }

    private mutating func checkCounts() {
        if connection.openStreams != open.count { violation = "\(connection.openStreams) open, not \(open.count)" }
        if connection.output.count > 500_000 { violation = "\(connection.output.count) bytes of output" }
    }

    /// Checks that the output is made of whole frames, and that a failure's GOAWAY is the last.
    private mutating func checkFrames() {
        guard violation == nil else { return }
        while connection.output.count > 0 { take(.max) }
        var place = 24
        var last: (type: UInt8, place: Int) = (0, 0)
        while place + 9 <= output.count {
            last = (output[place + 3], place)
            place += 9 + (Int(output[place]) << 16 | Int(output[place + 1]) << 8 | Int(output[place + 2]))
        }
        if place != output.count { violation = "half a frame at the end of the output" }
        guard let failure = connection.failure else { return }
        if last.type != 7 || output[last.place + 9 + 7] != UInt8(truncatingIfNeeded: failure.errorCode) {
            violation = "a failure whose GOAWAY is not the last frame"
        }
    }
}
