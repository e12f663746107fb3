import CNghttp2
import Glibc

/// The functions that libnghttp2 calls, and the table of them that all sessions share.
///
/// They run inside `receive` and `drainOutput`, only write to the session's state and never call its owner, so that
/// no event reaches the pool in the middle of the library's work.
struct HTTP2Callbacks: @unchecked Sendable {
    static let shared = HTTP2Callbacks()

    /// Nil when there was no memory for it. Never freed.
    let pointer: OpaquePointer?

    private init() {
        var table: OpaquePointer?
        nghttp2_session_callbacks_new(&table)
        pointer = table
        guard let table else { return }
        nghttp2_session_callbacks_set_on_header_callback(table, HTTP2Callbacks.headerReceived)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, HTTP2Callbacks.dataReceived)
        nghttp2_session_callbacks_set_on_frame_recv_callback(table, HTTP2Callbacks.frameReceived)
        nghttp2_session_callbacks_set_on_stream_close_callback(table, HTTP2Callbacks.streamClosed)
        nghttp2_session_callbacks_set_on_frame_not_send_callback(table, HTTP2Callbacks.frameNotSent)
    }

    typealias State = UnsafeMutablePointer<HTTP2State>

    private static func state(_ context: UnsafeMutableRawPointer?) -> State? {
        context?.assumingMemoryBound(to: HTTP2State.self)
    }

    /// The index of the stream's record. It is kept as a pointer, one higher, because null means none.
    private static func stream(_ session: OpaquePointer?, _ number: Int32) -> UInt32? {
        guard let mark = nghttp2_session_get_stream_user_data(session, number) else { return nil }
        return UInt32(truncatingIfNeeded: UInt(bitPattern: mark) - 1)
    }

    /// Gives as much of a body as fits. Nearly always that is all of it, in one DATA frame.
    static let readBody: nghttp2_data_source_read_callback = { _, _, target, room, flags, source, context in
        guard let state = state(context), let mark = source?.pointee.ptr, let target else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let index = Int(UInt(bitPattern: mark) - 1)
        let stream = state.pointee.streams[index]
        // The template of a stream that was cancelled, or answered early, may be gone.
        guard stream.isInUse, !stream.isCancelled, !stream.isReported, let body = stream.body.baseAddress else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let count = min(room, stream.body.count - stream.bodySent)
        memcpy(target, body + stream.bodySent, count)
        state.pointee.streams[index].bodySent += count
        if stream.bodySent + count == stream.body.count {
            flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        }
        return count
    }

    private static let headerReceived: nghttp2_on_header_callback = {
        session, frame, name, nameLength, value, valueLength, _, context in
        guard let state = state(context), let frame, let name, let value,
            let index = stream(session, frame.pointee.hd.stream_id)
        else { return 0 }
        if nameLength == 7, memcmp(name, ":status", 7) == 0 {
            // The library has checked that it is three digits.
            state.pointee.streams[Int(index)].status = UInt16(clamping: decimal(value, valueLength) ?? 0)
        } else if nameLength == 11, memcmp(name, "retry-after", 11) == 0 {
            state.pointee.streams[Int(index)].hasDetails = true
            state.pointee.details[index, default: HTTP2AnswerDetails()].retryAfter = decimal(value, valueLength)
        }
        return 0
    }

    private static let dataReceived: nghttp2_on_data_chunk_recv_callback = {
        session, _, number, data, length, context in
        guard let state = state(context), let data, let index = stream(session, number) else { return 0 }
        guard state.pointee.streams[Int(index)].status != 200 else { return 0 }
        state.pointee.streams[Int(index)].hasDetails = true
        let kept = state.pointee.details[index]?.body.count ?? 0
        let bytes = UnsafeBufferPointer(start: data, count: min(length, HTTP2Session.bodyLimit - kept))
        state.pointee.details[index, default: HTTP2AnswerDetails()].body.append(contentsOf: bytes)
        return 0
    }

    private static let frameReceived: nghttp2_on_frame_recv_callback = { session, frame, context in
        guard let state = state(context), let frame else { return 0 }
        let header = frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0,
                let index = stream(session, header.stream_id)
            else { break }
            state.pointee.answered(index)
            if nghttp2_session_get_stream_local_close(session, header.stream_id) == 0 {
                // Answered before our body was out: the rest is of no use to anyone.
                nghttp2_submit_rst_stream(
                    session, UInt8(NGHTTP2_FLAG_NONE.rawValue), header.stream_id, HTTP2ErrorCode.cancel)
            }
        case NGHTTP2_SETTINGS.rawValue where UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue == 0:
            let limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
            let isSet = hasLimit(frame.pointee.settings) || state.pointee.hasStreamLimit
            state.pointee.hasStreamLimit = isSet
            state.pointee.events.append(.settings(maximumConcurrentStreams: isSet ? limit : nil))
        case NGHTTP2_GOAWAY.rawValue:
            state.pointee.events.append(.goAway(errorCode: frame.pointee.goaway.error_code))
        case NGHTTP2_PING.rawValue where UInt32(header.flags) & NGHTTP2_FLAG_ACK.rawValue != 0:
            state.pointee.events.append(.pingAcknowledged)
        default: break
        }
        return 0
    }

    private static let streamClosed: nghttp2_on_stream_close_callback = { session, number, errorCode, context in
        guard let state = state(context), let index = stream(session, number) else { return 0 }
        state.pointee.closed(index, errorCode: errorCode)
        return 0
    }

    private static let frameNotSent: nghttp2_on_frame_not_send_callback = { _, frame, _, context in
        guard let state = state(context), let frame,
            UInt32(frame.pointee.hd.type) == NGHTTP2_HEADERS.rawValue
        else { return 0 }
        state.pointee.unsendable.append(frame.pointee.hd.stream_id)
        return 0
    }

    private static func hasLimit(_ settings: nghttp2_settings) -> Bool {
        UnsafeBufferPointer(start: settings.iv, count: settings.niv).contains {
            $0.settings_id == Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
        }
    }

    /// Nil for anything but one to nine digits: `Retry-After` may also be a date, which nobody here sends.
    private static func decimal(_ text: UnsafePointer<UInt8>, _ length: Int) -> UInt32? {
        guard (1...9).contains(length) else { return nil }
        var value: UInt32 = 0
        for index in 0..<length {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            value = value * 10 + UInt32(text[index] - 0x30)
        }
        return value
    }
}
