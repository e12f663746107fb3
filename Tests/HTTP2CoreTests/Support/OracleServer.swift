import CNghttp2

/// libnghttp2's server session in memory. It records requests, enforces the protocol, and answers as a test requests.
final class OracleServer {
    struct Request: Equatable {
        var stream: Int32
        var fields: [Field] = []
        var body: [UInt8] = []
        var hasAllFields = false
        var isComplete = false
        var isReset = false
    }

    /// A sent frame.
    enum Sent: Equatable {
        case answer(stream: UInt32, status: UInt16, fields: [Field], endsStream: Bool)
        case data(stream: UInt32, bytes: [UInt8], endsStream: Bool)
        case reset(stream: UInt32, code: UInt32)
        case goAway(last: UInt32)
        case trailers(stream: UInt32)
    }

    private(set) var session: OpaquePointer?
    /// In the order of their first frames.
    private(set) var requests: [Request] = []
    private var places: [Int32: Int] = [:]
    /// Violations by the client.
    private(set) var complaints: [String] = []
    private(set) var goAwaysReceived: [UInt32] = []
    /// All sent frames that can end a request, in order.
    private(set) var sent: [Sent] = []
    private(set) var pingsAcknowledged = 0
    private var bodies: [Int32: OutgoingBody] = [:]
    private var sentData: [Int32: [UInt8]] = [:]
    var padding = 0

    init(settings: [(UInt16, UInt32)] = [], updatesWindows: Bool = true) {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        listen(callbacks)
        listenToOwnFrames(callbacks)
        var option: OpaquePointer?
        nghttp2_option_new(&option)
        if !updatesWindows { nghttp2_option_set_no_auto_window_update(option, 1) }
        // The tests cancel many streams.
        nghttp2_option_set_stream_reset_rate_limit(option, 1 << 40, 1 << 40)
        nghttp2_session_server_new2(&session, callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
        nghttp2_option_del(option)
        nghttp2_session_callbacks_del(callbacks)
        change(settings)
    }

    deinit { nghttp2_session_del(session) }

    private func listen(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            Nghttp2.owner(context, OracleServer.self).begun(frame!.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, flags, context in
            Nghttp2.owner(context, OracleServer.self).change(frame!.pointee.hd.stream_id) {
                $0.fields.append(Nghttp2.field(name, nameLength, value, length, flags))
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, context in
            Nghttp2.owner(context, OracleServer.self).change(stream) {
                $0.body += UnsafeBufferPointer(start: data, count: count)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            Nghttp2.owner(context, OracleServer.self).received(frame!.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, context in
            // The client may not know the lower limit yet.
            if code == NGHTTP2_ERR_REFUSED_STREAM.rawValue { return 0 }
            Nghttp2.owner(context, OracleServer.self).complaints.append(
                "frame type \(frame!.pointee.hd.type) of stream \(frame!.pointee.hd.stream_id): \(String(cString: nghttp2_strerror(code)))"
            )
            return 0
        }
    }

    private func begun(_ stream: Int32) {
        places[stream] = requests.count
        requests.append(Request(stream: stream))
    }

    private func change(_ stream: Int32, _ body: (inout Request) -> Void) {
        guard let place = places[stream] else { return complaints.append("stream \(stream) without a request") }
        body(&requests[place])
    }

    private func received(_ frame: nghttp2_frame) {
        let header = frame.hd
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
            if header.type == 1 { change(header.stream_id) { $0.hasAllFields = true } }
            if header.flags & 1 != 0 { change(header.stream_id) { $0.isComplete = true } }
        case NGHTTP2_RST_STREAM.rawValue:
            // The session may have refused the request before its headers were read.
            if places[header.stream_id] != nil { change(header.stream_id) { $0.isReset = true } }
        case NGHTTP2_GOAWAY.rawValue: goAwaysReceived.append(frame.goaway.error_code)
        case NGHTTP2_PING.rawValue: pingsAcknowledged += Int(header.flags & 1)
        default: break
        }
    }

    func receive(_ bytes: [UInt8]) {
        let count = bytes.withUnsafeBufferPointer { nghttp2_session_mem_recv(session, $0.baseAddress, $0.count) }
        if count < 0 { complaints.append(String(cString: nghttp2_strerror(Int32(count)))) }
    }

    func output() -> [UInt8] { Nghttp2.output(session) }
}

// MARK: Actions

extension OracleServer {
    func change(_ settings: [(UInt16, UInt32)]) {
        let entries = Nghttp2.settings(settings)
        nghttp2_submit_settings(session, 0, entries, entries.count)
    }

    /// - Parameter body: Empty for an answer in one frame.
    func answer(
        _ stream: Int32, _ status: Int = 200, _ fields: [Field] = [], body: [UInt8] = [], trailers: [Field]? = nil
    ) {
        let all = [Field(":status", String(status))] + fields
        guard !body.isEmpty || trailers != nil else {
            _ = Nghttp2.withFields(all) { nghttp2_submit_response(session, stream, $0, $1, nil) }
            return
        }
        bodies[stream] = OutgoingBody(bytes: body, trailers: trailers)
        var provider = nghttp2_data_provider()
        provider.read_callback = { session, stream, target, limit, flags, _, context in
            let server = Nghttp2.owner(context, OracleServer.self)
            let start = server.bodies[stream]!.offset
            let count = server.bodies[stream]!.read(target, limit)
            let body = server.bodies[stream]!
            server.sentData[stream] = Array(body.bytes[start..<(start + count)])
            guard body.offset == body.bytes.count else { return count }
            flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if let trailers = body.trailers {
                flags!.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
                _ = Nghttp2.withFields(trailers) { nghttp2_submit_trailer(session, stream, $0, $1) }
            }
            return count
        }
        _ = Nghttp2.withFields(all) { nghttp2_submit_response(session, stream, $0, $1, &provider) }
    }

    func inform(_ stream: Int32, _ status: Int) {
        _ = Nghttp2.withFields([Field(":status", String(status)), Field("x-note", "soon")]) {
            nghttp2_submit_headers(session, 0, stream, nil, $0, $1, nil)
        }
    }

    func reset(_ stream: Int32, _ code: UInt32) { nghttp2_submit_rst_stream(session, 0, stream, code) }

    func goAway(_ last: Int32, _ code: UInt32 = 0) { nghttp2_submit_goaway(session, 0, last, code, nil, 0) }

    func announceShutdown() { nghttp2_submit_shutdown_notice(session) }

    func ping() { nghttp2_submit_ping(session, 0, nil) }

    /// Widens a window; stream 0 is the connection's.
    func widen(_ stream: Int32, by size: Int32) { nghttp2_submit_window_update(session, 0, stream, size) }
}

// MARK: Sent frames

extension OracleServer {
    private func listenToOwnFrames(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
            Nghttp2.owner(context, OracleServer.self).noteSent(frame!.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_select_padding_callback(callbacks) { _, frame, limit, context in
            let server = Nghttp2.owner(context, OracleServer.self)
            return min(limit, Int(frame!.pointee.hd.length) + server.padding)
        }
    }

    private func noteSent(_ frame: nghttp2_frame) {
        let stream = UInt32(frame.hd.stream_id)
        let endsStream = frame.hd.flags & 1 != 0
        switch UInt32(frame.hd.type) {
        case NGHTTP2_HEADERS.rawValue: noteHeaders(frame.headers, stream, endsStream)
        case NGHTTP2_DATA.rawValue:
            sent.append(.data(stream: stream, bytes: sentData[Int32(stream)] ?? [], endsStream: endsStream))
        case NGHTTP2_RST_STREAM.rawValue: sent.append(.reset(stream: stream, code: frame.rst_stream.error_code))
        case NGHTTP2_GOAWAY.rawValue:
            sent.append(.goAway(last: UInt32(frame.goaway.last_stream_id)))
            if frame.goaway.error_code != 0 { complaints.append("GOAWAY with \(frame.goaway.error_code)") }
        default: break
        }
    }

    private func noteHeaders(_ headers: nghttp2_headers, _ stream: UInt32, _ endsStream: Bool) {
        let fields = UnsafeBufferPointer(start: headers.nva, count: headers.nvlen).map {
            Nghttp2.field($0.name, $0.namelen, $0.value, $0.valuelen, $0.flags)
        }
        guard let status = fields.first(where: { $0.name == ":status" }).flatMap({ UInt16($0.value) }) else {
            return sent.append(.trailers(stream: stream))
        }
        guard status >= 200 else { return }
        sent.append(.answer(stream: stream, status: status, fields: fields, endsStream: endsStream))
    }
}
