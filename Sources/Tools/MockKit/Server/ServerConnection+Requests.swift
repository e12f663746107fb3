import CNghttp2
import Reactor
import TimeCore

extension ServerConnection {
    func headersBegun(stream id: Int32) {
        // A known stream means that these are trailers.
        guard !isEnding, stream(id) == nil else { return }
        let stream: MockRequest
        if let free = freeStreams.popLast() {
            stream = free
        } else {
            stream = MockRequest(connection: number, on: server.reactor)
            streams.append(stream)
        }
        streamsBegun += 1
        stream.begin(id: id, ordinal: streamsBegun)
        nghttp2_session_set_stream_user_data(session, id, Unmanaged.passUnretained(stream).toOpaque())
        current = stream
        stream.isHeld = goAway.streamBegun(stream, &server.goAways, generation: server.scriptGeneration)
    }

    func headerReceived(
        stream id: Int32, _ spelling: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) {
        guard let stream = stream(id), !stream.isComplete else { return }
        let names = server.fieldNames
        let number = names.number(of: spelling)
        if number == names.authorization { stream.authorization = server.authorizations.entry(for: value) }
        // Fields that the service does not read are kept only for the ledger.
        if number != 0 || server.journal.keepsEntries { stream.fields.append(number, spelling, value, names) }
    }

    func dataReceived(stream id: Int32, _ chunk: UnsafeBufferPointer<UInt8>) {
        guard let stream = stream(id), !stream.isComplete else { return }
        stream.append(body: chunk, upTo: server.maximumBodyLength)
    }

    func requestCompleted(_ stream: MockRequest) {
        guard !isEnding, !stream.isComplete else { return }
        stream.isComplete = true
        if !stream.isHeld {
            let delay = server.process(stream, on: self)
            limits.requestReceived(count: requests)
            announceStreamLimit()
            if delay == .zero {
                carryOut(stream)
            } else {
                server.delay(stream, on: self, by: delay)
            }
        }
        if let plan = goAway.streamCompleted(stream) {
            sendGoAway(plan)
        } else if stream.isHeld {
            server.reactor.schedule(after: ServerConnection.goAwayPatience) { [weak self] in
                guard let self, !isEnding, let plan = goAway.patienceEnded() else { return }
                sendGoAway(plan)
            }
        }
    }

    /// The time that streams are held for a GOAWAY if no further stream triggers it.
    private static let goAwayPatience = TimeInterval.seconds(1)

    private func sendGoAway(_ plan: ConnectionScript.GoAway) {
        if plan.lastStream == .maximum {
            nghttp2_submit_shutdown_notice(session)
        } else {
            var last = nghttp2_session_get_last_proc_stream_id(session)
            if case .minus = plan.lastStream { last = min(last, goAway.lastProcessed) }
            let text = plan.reason.map { server.service.goAwayText($0) } ?? []
            nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, plan.errorCode, text, text.count)
        }
        requestFlush()
    }
}
