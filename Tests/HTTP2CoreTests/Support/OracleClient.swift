import CNghttp2

/// libnghttp2's client session as the oracle.
final class OracleClient: Client {
    private var session: OpaquePointer?
    private let kinds: [RequestKind]
    private var unsent: [UInt8] = []
    private var plans: [UInt32: RequestPlan] = [:]
    private var answers: [Int32: Answer] = [:]
    private var tags: [Int32: UInt32] = [:]
    private var cancelled: Set<UInt32> = []
    private var bodies: [Int32: OutgoingBody] = [:]
    private(set) var outcomes: [UInt32: Outcome] = [:]
    private(set) var goAways: [UInt32] = []
    private(set) var pingsAcknowledged = 0
    private(set) var violations: [String] = []

    private struct Answer {
        var status: UInt16 = 0
        var retryAfter: UInt32?
        var body: [UInt8] = []
        /// True once later fields are trailers.
        var hasAllFields = false
    }

    init(_ kinds: [RequestKind], nextStream: UInt32 = 1) {
        self.kinds = kinds
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        listen(callbacks)
        var option: OpaquePointer?
        nghttp2_option_new(&option)
        nghttp2_option_set_max_deflate_dynamic_table_size(option, 4_096)
        nghttp2_session_client_new2(&session, callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
        nghttp2_option_del(option)
        nghttp2_session_callbacks_del(callbacks)
        let settings = Nghttp2.settings([(1, 0), (2, 0), (6, 16_384)])
        nghttp2_submit_settings(session, 0, settings, settings.count)
        nghttp2_session_set_local_window_size(session, 0, 0, 16 << 20)
        nghttp2_session_set_next_stream_id(session, Int32(nextStream))
    }

    deinit { nghttp2_session_del(session) }

    private func listen(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, flags, context in
            Nghttp2.owner(context, OracleClient.self).fieldReceived(
                frame!.pointee.hd.stream_id, Nghttp2.field(name, nameLength, value, length, flags))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, context in
            let client = Nghttp2.owner(context, OracleClient.self)
            client.answers[stream, default: Answer()].body += UnsafeBufferPointer(start: data, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            let client = Nghttp2.owner(context, OracleClient.self)
            switch UInt32(frame!.pointee.hd.type) {
            case NGHTTP2_HEADERS.rawValue: client.answers[frame!.pointee.hd.stream_id]?.hasAllFields = true
            case NGHTTP2_GOAWAY.rawValue: client.goAways.append(frame!.pointee.goaway.error_code)
            case NGHTTP2_PING.rawValue: client.pingsAcknowledged += Int(frame!.pointee.hd.flags & 1)
            default: break
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            Nghttp2.owner(context, OracleClient.self).closed(stream, code)
            return 0
        }
    }

    private func fieldReceived(_ stream: Int32, _ field: Field) {
        // A final answer replaces an interim one. Trailers do not count.
        if field.name == ":status" {
            answers[stream] = Answer(status: UInt16(field.value) ?? 0)
            return
        }
        guard let answer = answers[stream], !answer.hasAllFields else { return }
        if field.name == "retry-after" { answers[stream]?.retryAfter = UInt32(field.value) }
    }

    private func closed(_ stream: Int32, _ code: UInt32) {
        guard let tag = tags[stream], !cancelled.contains(tag) else { return }
        let answer = answers[stream] ?? Answer()
        // A final status counts even if the rest of the answer fails.
        if code != 0, answer.status < 200 {
            outcomes[tag] = .reset(code: code)
        } else if answer.status == 200 {
            outcomes[tag] = .answered(status: 200, body: [], retryAfter: nil)
        } else {
            outcomes[tag] = .answered(
                status: answer.status, body: Array(answer.body.prefix(1_024)), retryAfter: answer.retryAfter)
        }
    }

    func open(_ plan: RequestPlan) -> Bool {
        let kind = kinds[plan.kind]
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, stream, target, limit, flags, _, context in
            let client = Nghttp2.owner(context, OracleClient.self)
            let count = client.bodies[stream]!.read(target, limit)
            if client.bodies[stream]!.offset == client.bodies[stream]!.bytes.count {
                flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            }
            return count
        }
        let body = kind.body(token: plan.token)
        let stream = Nghttp2.withFields(kind.fields(token: plan.token, number: plan.number)) {
            body == nil
                ? nghttp2_submit_request(session, nil, $0, $1, nil, nil)
                : nghttp2_submit_request(session, nil, $0, $1, &provider, nil)
        }
        guard stream > 0 else { return false }
        tags[stream] = plan.tag
        bodies[stream] = body.map { OutgoingBody(bytes: $0) }
        return true
    }

    func cancel(tag: UInt32) {
        guard let stream = tags.first(where: { $0.value == tag })?.key, outcomes[tag] == nil else { return }
        cancelled.insert(tag)
        nghttp2_submit_rst_stream(session, 0, stream, NGHTTP2_CANCEL.rawValue)
    }

    func ping() { nghttp2_submit_ping(session, 0, nil) }

    func goAway() { nghttp2_submit_goaway(session, 0, 0, 0, nil, 0) }

    func receive(_ bytes: [UInt8]) {
        let count = bytes.withUnsafeBufferPointer {
            nghttp2_session_mem_recv(session, $0.baseAddress, $0.count)
        }
        if count < 0 { violations.append("the oracle: \(String(cString: nghttp2_strerror(Int32(count))))") }
    }

    func takeOutput(_ limit: Int) -> [UInt8] {
        unsent += Nghttp2.output(session)
        let bytes = Array(unsent.prefix(limit))
        unsent.removeFirst(bytes.count)
        return bytes
    }
}
