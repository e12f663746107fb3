import CNghttp2
import PushProtocol

/// The client's side of one HTTP/2 connection that carries pushes: plaintext in, plaintext and events out.
///
/// This is the seam behind which the engine can be changed. The rules between it and its owner:
/// - `receive` takes what came from the server and leaves what it means in `events`, in order.
/// - `submit` opens a stream for a push; `tag` comes back with its events. Each tag gets exactly one of `accepted`,
///   `refused` or `reset`, unless its stream was cancelled.
/// - `drainOutput` hands out what has to be sent. The owner calls it after `submit`, `receive`, `ping` and so on, once
///   for a whole batch.
/// - After `failure` is set only `drainOutput` is of use (it may hold a GOAWAY).
///
/// This engine is libnghttp2's session. It does no I/O, has no clock and lives with its owner on one thread.
final class HTTP2Session {
    /// More of an error's body is not kept.
    static let bodyLimit = 1_024
    static let tokenLimit = 200

    /// Names a stream that is open. Valid until the event that ends it.
    typealias StreamHandle = UInt32

    let state: UnsafeMutablePointer<HTTP2State>
    private let session: OpaquePointer
    private let request: HTTP2Request

    /// - Parameter authority: host name and port, as `:authority` gives them.
    init?(authority: String) {
        guard let callbacks = HTTP2Callbacks.shared.pointer else { return nil }
        state = .allocate(capacity: 1)
        state.initialize(to: HTTP2State())
        var option: OpaquePointer?
        var session: OpaquePointer?
        nghttp2_option_new(&option)
        if let option {
            // Until the server has told its limit.
            nghttp2_option_set_peer_max_concurrent_streams(option, 1)
        }
        nghttp2_session_client_new2(&session, callbacks, state, option)
        nghttp2_option_del(option)
        guard let session else {
            state.deinitialize(count: 1)
            state.deallocate()
            return nil
        }
        self.session = session
        request = HTTP2Request(authority: authority)
        introduceOurselves()
    }

    deinit {
        nghttp2_session_del(session)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Why the connection cannot go on; nil as long as it can.
    var failure: String? { state.pointee.failure }

    /// Whether either side has anything left to say.
    var isOver: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    // MARK: In

    /// Takes plaintext from the server. The events it means are in `events` afterwards.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil, let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        let count = nghttp2_session_mem_recv(session, base, bytes.count)
        if count < 0 {
            state.pointee.fail("HTTP/2: \(HTTP2Session.text(of: Int32(clamping: count)))")
        }
    }

    /// What has happened, in order; emptied by `clearEvents`.
    var events: UnsafeBufferPointer<HTTP2Event> { state.pointee.events.all }

    func clearEvents() {
        state.pointee.events.removeAll()
    }

    /// The details that a `refused` event refers to; they can be taken once.
    func takeDetails(_ index: UInt32) -> HTTP2AnswerDetails {
        state.pointee.details.removeValue(forKey: index) ?? HTTP2AnswerDetails()
    }

    // MARK: Out

    /// Opens a stream for a push. Copies the token, not the template: the owner keeps that until the stream's end.
    /// Nil when the session takes no stream any more.
    func submit(
        _ template: PushTemplate, _ providerToken: ProviderToken, deviceToken: UnsafeRawBufferPointer, slot: UInt32,
        tag: UInt32
    ) -> StreamHandle? {
        guard failure == nil, deviceToken.count <= HTTP2Session.tokenLimit else { return nil }
        let stream = state.pointee.insert(tag: tag, body: template.body)
        let fields = request.fields(template, providerToken, deviceToken, slot)
        var provider = nghttp2_data_provider()
        provider.source.ptr = UnsafeMutableRawPointer(bitPattern: UInt(stream) + 1)
        provider.read_callback = HTTP2Callbacks.readBody
        let number = nghttp2_submit_request(
            session, nil, fields.baseAddress, fields.count, &provider,
            UnsafeMutableRawPointer(bitPattern: UInt(stream) + 1))
        guard number > 0 else {
            state.pointee.remove(stream)
            return nil
        }
        state.pointee.streams[Int(stream)].number = number
        return stream
    }

    /// Gives a stream up with CANCEL; its tag gets no event. True when the server may have seen it.
    func cancel(_ handle: StreamHandle) -> Bool {
        let number = state.pointee.streams[Int(handle)].number
        let wasOpened = nghttp2_session_find_stream(session, number) != nil
        state.pointee.streams[Int(handle)].isCancelled = true
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, HTTP2ErrorCode.cancel)
        return wasOpened
    }

    /// Whether a stream has been written, so that the server may have seen it.
    func isWritten(_ handle: StreamHandle) -> Bool {
        nghttp2_session_find_stream(session, state.pointee.streams[Int(handle)].number) != nil
    }

    func ping() {
        nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
    }

    /// Tells the server that we open no more streams and leave (GOAWAY, NO_ERROR).
    func goAway() {
        nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue)
    }

    /// Hands what has to be sent to `send`, in pieces; stops when `send` returns false.
    func drainOutput(_ send: (UnsafeRawBufferPointer) -> Bool) {
        while true {
            var data: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &data)
            if count < 0 { state.pointee.fail("HTTP/2: \(HTTP2Session.text(of: Int32(clamping: count)))") }
            guard count > 0, let data else { break }
            guard send(UnsafeRawBufferPointer(start: data, count: count)) else { break }
        }
        // Streams that the engine could not begin, because the server had said GOAWAY in the meantime.
        if !state.pointee.unsendable.isEmpty { state.pointee.reportUnsendable() }
    }

    // MARK: Inside

    /// Connection preface, SETTINGS and a window that no answer of ours fills.
    private func introduceOurselves() {
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            // Answers are a status and an identifier; without a dynamic table they need no decoding state.
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: 16_384),
        ]
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, 16 << 20)
    }

    private static func text(of error: Int32) -> String {
        nghttp2_strerror(error).map { String(cString: $0) } ?? "error \(error)"
    }
}
