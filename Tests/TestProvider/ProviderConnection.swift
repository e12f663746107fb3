import CNghttp2
import Foundation
import Reactor
import TLS

/// One connection of a test provider.
public final class ProviderConnection: TLSConnectionDelegate {
    let transport: TLSConnection
    let provider: TestProvider
    let number: Int
    private var session: OpaquePointer?
    private var requests: [Int32: Request] = [:]
    private var goesAway = false
    private var bodies: [Int32: ArraySlice<UInt8>] = [:]
    private var lastAllowed = Int32.max
    private var farewell: (id: Int32, entry: TestProvider.Entry)?
    private var hasClosed = false

    struct Request {
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    init(_ transport: TLSConnection, _ provider: TestProvider, _ number: Int) {
        self.transport = transport
        self.provider = provider
        self.number = number
        transport.delegate = self
    }

    deinit { nghttp2_session_del(session) }

    public func connectionEstablished(_ connection: TLSConnection) {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, _, context in
            let connection = ProviderConnection.from(context)
            let id = frame!.pointee.hd.stream_id
            if connection.provider.keepsLedger {
                let name = String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self)
                let value = String(decoding: UnsafeBufferPointer(start: value, count: length), as: UTF8.self)
                connection.requests[id, default: Request()].headers[name] = value
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, id, bytes, length, context in
            let connection = ProviderConnection.from(context)
            if connection.provider.keepsLedger {
                let chunk = UnsafeBufferPointer(start: bytes, count: length)
                connection.requests[id, default: Request()].body.append(contentsOf: chunk)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            let header = frame!.pointee.hd
            let isRequest = [NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue].contains(UInt32(header.type))
            if isRequest, UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 {
                ProviderConnection.from(context).requestReceived(header.stream_id)
            }
            return 0
        }
        nghttp2_session_server_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
        nghttp2_session_callbacks_del(callbacks)
        var settings: [nghttp2_settings_entry] = []
        if let limit = provider.initialLimit {
            settings.append(.init(settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: limit))
        }
        nghttp2_submit_settings(session, 0, settings, settings.count)
        nghttp2_session_set_local_window_size(session, 0, 0, 64 << 20)
        flush()
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> ProviderConnection {
        Unmanaged<ProviderConnection>.fromOpaque(context!).takeUnretainedValue()
    }

    public func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {
        guard !hasClosed else { return }
        let count = nghttp2_session_mem_recv(
            session, plaintext.assumingMemoryBound(to: UInt8.self).baseAddress, plaintext.count)
        if count < 0 { return close() }
        guard !hasClosed else { return }
        if let farewell {
            self.farewell = nil
            nghttp2_submit_goaway(session, 0, farewell.id, 0, nil, 0)
            flush()
            respond(farewell.id, farewell.entry, 200, "", nil)
            flush()
            return close(abruptly: false)
        }
        if goesAway {
            goesAway = false
            nghttp2_submit_goaway(session, 0, max(0, lastAllowed), 0, nil, 0)
        }
        flush()
    }

    public func connectionDrained(_ connection: TLSConnection) {}

    public func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) {
        hasClosed = true
        provider.connections[ObjectIdentifier(self)] = nil
    }

    public func close(abruptly: Bool = true) {
        guard !hasClosed else { return }
        hasClosed = true
        transport.close(abruptly: abruptly)
    }

    /// Takes no more streams.
    public func goAway() {
        guard session != nil, !hasClosed else { return }
        nghttp2_submit_goaway(session, 0, nghttp2_session_get_last_proc_stream_id(session), 0, nil, 0)
        flush()
    }

    public func setLimit(_ limit: UInt32) {
        guard session != nil, !hasClosed else { return }
        var entry = nghttp2_settings_entry(
            settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: limit)
        nghttp2_submit_settings(session, 0, &entry, 1)
        flush()
    }

    private func requestReceived(_ id: Int32) {
        let request = requests.removeValue(forKey: id) ?? Request()
        guard id <= lastAllowed, !hasClosed else { return }
        let headers = request.headers
        let entry = TestProvider.Entry(
            path: headers[":path"] ?? "", identifier: headers["apns-id"] ?? "",
            authorization: headers["authorization"] ?? "", headers: headers, body: request.body,
            connection: number, status: nil)
        let answer = provider.answer(entry)
        switch answer {
        case .reset(let code):
            if code != NGHTTP2_REFUSED_STREAM.rawValue { _ = provider.record(entry) }
            nghttp2_submit_rst_stream(session, 0, id, code)
        case .statusAlone(let status): respond(id, entry, status, nil, nil)
        case .silence: _ = provider.record(entry)
        case .closeAbruptly:
            _ = provider.record(entry)
            close()
        case .goAway(let inclusive):
            if inclusive { respond(id, entry, 200, "", nil) }
            lastAllowed = inclusive ? id : id - 2
            goesAway = true
        case .farewell:
            lastAllowed = id
            farewell = (id, entry)
        case .settings(let limit):
            respond(id, entry, 200, "", nil)
            setLimit(limit)
        case .accept: respond(id, entry, 200, "", nil)
        case .status(let status, let body, let retryAfter, let fields):
            respond(id, entry, status, body, retryAfter, fields)
        }
    }

    private func respond(
        _ id: Int32, _ entry: TestProvider.Entry, _ status: Int, _ body: String?, _ retryAfter: Int?,
        _ further: [String: String] = [:]
    ) {
        provider.answered(provider.record(entry), status)
        if status == 200, body == "", further.isEmpty {
            ProviderConnection.ok.withUnsafeBufferPointer { fields in
                _ = nghttp2_submit_response(session, id, fields.baseAddress, 1, nil)
            }
            return
        }
        var headers = [(":status", String(status))]
        if let retryAfter { headers.append(("retry-after", String(retryAfter))) }
        headers += further.map { ($0.key, $0.value) }
        var memory: [UnsafeMutablePointer<CChar>] = []
        let fields = headers.map { name, value -> nghttp2_nv in
            let name = strdup(name)!
            let value = strdup(value)!
            memory += [name, value]
            return nghttp2_nv(
                name: UnsafeMutableRawPointer(name).assumingMemoryBound(to: UInt8.self),
                value: UnsafeMutableRawPointer(value).assumingMemoryBound(to: UInt8.self), namelen: strlen(name),
                valuelen: strlen(value), flags: 0)
        }
        defer { memory.forEach { free($0) } }
        guard let body else {
            var provider = nghttp2_data_provider()
            provider.read_callback = { _, _, _, _, _, _, _ in Int(NGHTTP2_ERR_DEFERRED.rawValue) }
            nghttp2_submit_response(session, id, fields, fields.count, &provider)
            return
        }
        guard !body.isEmpty else {
            nghttp2_submit_response(session, id, fields, fields.count, nil)
            return
        }
        bodies[id] = Array(body.utf8)[...]
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, id, buffer, length, flags, _, context in
            let connection = ProviderConnection.from(context)
            let body = connection.bodies.removeValue(forKey: id) ?? []
            let chunk = body.prefix(length)
            chunk.withUnsafeBytes { _ = memcpy(buffer!, $0.baseAddress!, $0.count) }
            if chunk.count == body.count {
                flags!.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            } else {
                connection.bodies[id] = body[chunk.endIndex...]
            }
            return chunk.count
        }
        nghttp2_submit_response(session, id, fields, fields.count, &provider)
    }

    nonisolated(unsafe) private static let ok: [nghttp2_nv] = {
        func bytes(_ text: String) -> UnsafeMutablePointer<UInt8> {
            UnsafeMutableRawPointer(strdup(text)!).assumingMemoryBound(to: UInt8.self)
        }
        let flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        return [nghttp2_nv(name: bytes(":status"), value: bytes("200"), namelen: 7, valuelen: 3, flags: UInt8(flags))]
    }()

    private func flush() {
        var batch: [UInt8] = []
        batch.reserveCapacity(65_536)
        while true {
            var data: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &data)
            if count <= 0 { break }
            batch.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
        }
        if !batch.isEmpty { batch.withUnsafeBytes { _ = transport.send($0) } }
    }
}

extension ProviderConnection: @unchecked Sendable {}
