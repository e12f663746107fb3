import CNghttp2
import Reactor
import TLS
import TimeCore

/// The reactor's side.
extension TestClient {
    func open(_ port: UInt16, _ context: TLSContext) {
        guard let address = SocketAddress(numericHost: "127.0.0.1", port: port) else { return }
        do {
            let transport = try TLSConnection.connect(
                to: address, hostName: "localhost", context: context, timeout: deadline, on: reactor)
            transport.delegate = self
            self.transport = transport
        } catch {
            note { $0.end = error }
        }
    }

    package func connectionEstablished(_ connection: TLSConnection) {
        if !isRaw {
            makeSession()
            let identifier = Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue)
            let window = nghttp2_settings_entry(settings_id: identifier, value: windowSize)
            nghttp2_submit_settings(session, 0, [window], 1)
            flush()
        }
        note { $0.isEstablished = true }
    }

    package func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard let session else { return note { $0.plaintext += plaintext } }
        let bytes = plaintext.assumingMemoryBound(to: UInt8.self)
        _ = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
        flush()
    }

    package func connectionDrained(_ connection: TLSConnection) {
        flush()
    }

    package func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        for exchange in pending.values { exchange.complete(.connectionEnded) }
        pending = [:]
        note { $0.end = end }
    }

    func submit(_ request: TestRequest, _ completion: @escaping (TestResult) -> Void) {
        guard let session, transport?.isClosed == false else { return completion(.connectionEnded) }
        let headers =
            [(":method", request.method), (":scheme", "https"), (":authority", "localhost"), (":path", request.path)]
            + request.headers
        let exchange = Exchange(request, completion)
        let texts = headers.map { (Array($0.0.utf8), Array($0.1.utf8)) }
        var fields: [nghttp2_nv] = []
        var copies: [UnsafeMutableBufferPointer<UInt8>] = []
        for (name, value) in texts {
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.count + value.count)
            _ = copy.initialize(from: name + value)
            copies.append(copy)
            fields.append(
                nghttp2_nv(
                    name: copy.baseAddress, value: copy.baseAddress.map { $0 + name.count }, namelen: name.count,
                    valuelen: value.count, flags: 0))
        }
        defer { for copy in copies { copy.deallocate() } }
        var source = nghttp2_data_provider()
        source.read_callback = TestClient.readBody
        let hasBody = !request.body.isEmpty || !request.isComplete
        let id = withUnsafePointer(to: &source) { source in
            nghttp2_submit_request(session, nil, fields, fields.count, hasBody ? source : nil, nil)
        }
        guard id > 0 else { return completion(.connectionEnded) }
        pending[id] = exchange
        flush()
    }

    func flush() {
        guard let session else { return }
        while true {
            var data: UnsafePointer<UInt8>?
            let length = nghttp2_session_mem_send(session, &data)
            guard length > 0 else { return }
            transport?.send(UnsafeRawBufferPointer(start: data, count: length))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> TestClient? {
        context.map { Unmanaged<TestClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let readBody: nghttp2_data_source_read_callback = { _, stream, buffer, length, flags, _, context in
        guard let exchange = TestClient.of(context)?.pending[stream], let buffer, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let chunk = exchange.body.prefix(length)
        exchange.body = exchange.body.dropFirst(chunk.count)
        _ = UnsafeMutableBufferPointer(start: buffer, count: length).update(fromContentsOf: chunk)
        if chunk.isEmpty, !exchange.isComplete { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
        if exchange.body.isEmpty, exchange.isComplete { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
        return chunk.count
    }

    private func makeSession() {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameLength, value, length, _, c in
            guard let frame, let exchange = TestClient.of(c)?.pending[frame.pointee.hd.stream_id] else { return 0 }
            let name = String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
            let value = String(decoding: UnsafeBufferPointer(start: value, count: length), as: UTF8.self)
            if name == ":status" { exchange.response.status = Int(value) ?? 0 }
            exchange.response.headers[name] = value
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, context in
            let text = String(decoding: UnsafeBufferPointer(start: data, count: length), as: UTF8.self)
            TestClient.of(context)?.pending[stream]?.response.body += text
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let frame, let client = TestClient.of(context) else { return 0 }
            client.received(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            guard let exchange = TestClient.of(context)?.pending.removeValue(forKey: stream) else { return 0 }
            exchange.complete(code == 0 ? .response(exchange.response) : .reset(code: code))
            return 0
        }
        nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
    }

    private func received(_ frame: nghttp2_frame) {
        let isAcknowledgement = frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch nghttp2_frame_type(UInt32(frame.hd.type)) {
        case NGHTTP2_HEADERS:
            let isLast = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
            pending[frame.hd.stream_id]?.response.isHeadersOnly = isLast
        case NGHTTP2_SETTINGS where !isAcknowledgement:
            let entries = UnsafeBufferPointer(start: frame.settings.iv, count: frame.settings.niv)
            let values = Dictionary(entries.map { ($0.settings_id, $0.value) }) { $1 }
            note { $0.settings.append(values) }
        case NGHTTP2_PING where isAcknowledgement:
            note { $0.pongs += 1 }
        case NGHTTP2_GOAWAY:
            let data = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
            let text = String(decoding: data, as: UTF8.self)
            note { $0.goAways.append((frame.goaway.last_stream_id, frame.goaway.error_code, text)) }
        default: return
        }
    }
}
