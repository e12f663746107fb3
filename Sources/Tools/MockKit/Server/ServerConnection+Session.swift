import CNghttp2

extension ServerConnection {
    /// Creates the session and submits the server's SETTINGS, which must be its first frame.
    func openSession() throws(MockError) {
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0 else { throw MockError("out of memory") }
        defer { nghttp2_option_del(options) }
        // This type answers PING itself, because a script may leave it unanswered.
        nghttp2_option_set_no_auto_ping_ack(options, 1)
        // Only stream priorities need closed streams.
        nghttp2_option_set_no_closed_streams(options, 1)
        var session: OpaquePointer?
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_server_new2(&session, server.callbacks.pointer, context, options) == 0, let session
        else { throw MockError("out of memory") }
        self.session = session
        let settings = server.settings
        submitSettings([
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.announced),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings.maxFrameSize),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableSize),
        ])
        if settings.connectionWindowSize > 65_535 {
            let size = Int32(clamping: settings.connectionWindowSize)
            nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, size)
        }
    }

    func submitSettings(_ values: [(nghttp2_settings_id, UInt32)]) {
        let entries = values.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
        requestFlush()
    }

    /// Announces the stream limit if it has changed.
    func announceStreamLimit() {
        guard let limit = limits.takeChange(), session != nil else { return }
        submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limit)])
    }

    func stream(_ id: Int32) -> MockRequest? {
        if let current, current.id == id, current.isInUse { return current }
        guard session != nil, let pointer = nghttp2_session_get_stream_user_data(session, id) else { return nil }
        let stream = Unmanaged<MockRequest>.fromOpaque(pointer).takeUnretainedValue()
        current = stream
        return stream
    }

    // MARK: Frames

    func frameBegun(_ header: nghttp2_frame_hd) {
        // nghttp2 ignores streams after a GOAWAY, so no other callback reports them.
        guard goAway.isWritten, header.type == UInt8(NGHTTP2_HEADERS.rawValue),
            header.stream_id > goAway.newestStream
        else { return }
        goAway.newestStream = header.stream_id
        server.journal.count { $0.unprocessed += 1 }
    }

    func frameReceived(_ frame: nghttp2_frame) {
        let header = frame.hd
        switch nghttp2_frame_type(UInt32(header.type)) {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0, let stream = stream(header.stream_id)
            else { return }
            requestCompleted(stream)
        case NGHTTP2_PING:
            guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
            server.journal.count { $0.pingsReceived += 1 }
            guard server.script.answersPings else { return }
            withUnsafeBytes(of: frame.ping.opaque_data) { data in
                _ = nghttp2_submit_ping(
                    session, UInt8(NGHTTP2_FLAG_ACK.rawValue), data.baseAddress?.assumingMemoryBound(to: UInt8.self))
            }
        case NGHTTP2_RST_STREAM:
            server.journal.count { $0.clientResets += 1 }
        default: return
        }
    }

    func invalidFrameReceived(_ frame: nghttp2_frame, error: Int32) {
        guard frame.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return }
        if error == NGHTTP2_ERR_REFUSED_STREAM.rawValue {
            server.journal.count { $0.streamsRefused += 1 }
            return
        }
        let acknowledged = nghttp2_session_get_local_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        if streams.count - freeStreams.count >= Int(acknowledged) {
            limits.wasViolated = true
            server.journal.count { $0.streamLimitViolations += 1 }
        }
    }

    func frameSent(_ frame: nghttp2_frame) {
        switch nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_GOAWAY:
            let isFault = frame.goaway.error_code != 0 && goAway.plan == nil && !limits.wasViolated
            goAway.isWritten = goAway.isFinal
            server.journal.count {
                $0.goAwaysSent += 1
                if isFault { $0.protocolErrors += 1 }
            }
        case NGHTTP2_SETTINGS where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            server.journal.count { $0.settingsSent += 1 }
        case NGHTTP2_RST_STREAM:
            let code = frame.rst_stream.error_code
            guard code != NGHTTP2_REFUSED_STREAM.rawValue, code != NGHTTP2_NO_ERROR.rawValue else { return }
            if case .reset = stream(frame.hd.stream_id)?.outcome { return }
            server.journal.count { $0.protocolErrors += 1 }
        default: return
        }
    }

    func streamClosed(_ id: Int32, code: UInt32) {
        guard let stream = stream(id) else { return }
        finish(stream, inOrder: code == NGHTTP2_NO_ERROR.rawValue)
        stream.isInUse = false
        if current === stream { current = nil }
        freeStreams.append(stream)
    }

    /// Counts a stream that was held, aborted or not fully answered.
    func finish(_ stream: MockRequest, inOrder: Bool) {
        if stream.isHeld {
            server.recordUnprocessed(stream)
        } else if !stream.isComplete {
            server.journal.count { $0.abandonedRequests += 1 }
        } else if case .answer = stream.outcome, !inOrder || !stream.answerIsSubmitted {
            // The record changes first, because tests read it as soon as the count changes.
            if let index = stream.recordIndex { server.journal.setSent(index, false) }
            server.journal.count { $0.undeliveredAnswers += 1 }
        }
    }
}
