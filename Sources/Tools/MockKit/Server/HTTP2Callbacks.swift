import CNghttp2

/// The nghttp2 callbacks of all sessions. Each forwards to its connection. Immutable.
final class HTTP2Callbacks: @unchecked Sendable {
    let pointer: OpaquePointer

    init() throws(MockError) {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else {
            throw MockError("out of memory")
        }
        pointer = callbacks
        setFrames()
        setStreams()
    }

    private func setFrames() {
        nghttp2_session_callbacks_set_on_begin_frame_callback(pointer) { _, header, context in
            guard let header, let connection = ServerConnection.of(context) else { return 0 }
            connection.frameBegun(header.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(pointer) { _, frame, context in
            guard let frame, let connection = ServerConnection.of(context) else { return 0 }
            connection.frameReceived(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(pointer) { _, frame, error, context in
            guard let frame, let connection = ServerConnection.of(context) else { return 0 }
            connection.invalidFrameReceived(frame.pointee, error: error)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(pointer) { _, frame, context in
            guard let frame, let connection = ServerConnection.of(context) else { return 0 }
            connection.frameSent(frame.pointee)
            return 0
        }
    }

    private func setStreams() {
        nghttp2_session_callbacks_set_on_begin_headers_callback(pointer) { _, frame, context in
            guard let frame, let connection = ServerConnection.of(context) else { return 0 }
            connection.headersBegun(stream: frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(pointer) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let frame, let connection = ServerConnection.of(context) else { return 0 }
            connection.headerReceived(
                stream: frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameLength),
                UnsafeBufferPointer(start: value, count: valueLength))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(pointer) { _, _, stream, data, length, context in
            guard let connection = ServerConnection.of(context) else { return 0 }
            connection.dataReceived(stream: stream, UnsafeBufferPointer(start: data, count: length))
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(pointer) { _, stream, code, context in
            guard let connection = ServerConnection.of(context) else { return 0 }
            connection.streamClosed(stream, code: code)
            return 0
        }
    }

    deinit {
        nghttp2_session_callbacks_del(pointer)
    }

    /// Reads the body of an answer. The source is the `MockRequest`.
    static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, _ in
        guard let pointer = source?.pointee.ptr, let buffer, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let request = Unmanaged<MockRequest>.fromOpaque(pointer).takeUnretainedValue()
        let (count, isLast) = request.readBody(into: UnsafeMutableBufferPointer(start: buffer, count: length))
        if isLast { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
        return count
    }
}

extension ServerConnection {
    /// Returns the connection behind a session's context pointer. The connection outlives its session.
    static func of(_ context: UnsafeMutableRawPointer?) -> ServerConnection? {
        context.map { Unmanaged<ServerConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}
