import LiveActivity
import Reactor
import TLS

/// HTTP/1.1 (RFC 9112) for clients that do not offer HTTP/2, one request for each connection.
extension ServerConnection {
    /// The id of the only stream, equal to that of the first stream in HTTP/2.
    private static let onlyStream: Int32 = 1
    /// The ALPN name of HTTP/1.1.
    static let http1 = "http/1.1"

    func receivedHTTP1(_ bytes: UnsafeRawBufferPointer) {
        guard !isEnding, current == nil, var reader = http1Reader else { return }
        // Only one variable refers to the bytes, so that appending does not copy them.
        http1Reader = nil
        let progress = reader.received(bytes)
        http1Reader = reader
        switch progress {
        case .incomplete: return
        case .expectsContinue: write(ControlReply.goOn)
        case .refused(let status, let text):
            server.journal.count { $0.protocolErrors += 1 }
            write(ControlReply.error(status, text).bytes)
            close(abruptly: false)
        case .complete(let request): begin(request, reader.fields)
        }
    }

    private func begin(_ request: ControlRequest, _ fields: [ControlRequestReader.Field]) {
        let stream = MockRequest(connection: number, on: server.reactor)
        streams.append(stream)
        streamsBegun += 1
        stream.begin(id: Self.onlyStream, ordinal: streamsBegun)
        current = stream
        let target = request.query.isEmpty ? request.path : "\(request.path)?\(request.query)"
        receive(":method", request.method)
        receive(":scheme", "https")
        receive(":authority", fields.first { $0.name == "host" }?.value ?? "")
        receive(":path", target)
        for field in fields where field.name != "host" && field.name != "connection" {
            receive(field.name, field.value)
        }
        request.body.withUnsafeBufferPointer { dataReceived(stream: Self.onlyStream, $0) }
        requestCompleted(stream)
    }

    private func receive(_ name: String, _ value: String) {
        var (name, value) = (name, value)
        name.withUTF8 { name in value.withUTF8 { headerReceived(stream: Self.onlyStream, name, $0) } }
    }

    /// Writes the complete answer and closes the connection.
    func submitHTTP1(_ answer: Answer, _ stream: MockRequest) {
        var reply = ControlReply(status: answer.status)
        reply.contentType = nil
        for (name, value) in answer.fields {
            reply.fields["\(name)"] = String(decoding: value, as: UTF8.self)
        }
        if let name = stream.ownName ?? server.service.ownFieldName, stream.ownValueLength > 0 {
            let value = UnsafeBufferPointer(start: stream.ownValue, count: stream.ownValueLength)
            reply.fields["\(name)"] = String(decoding: value, as: UTF8.self)
        }
        reply.body = stream.ownBody.isEmpty ? Array(answer.body) : stream.ownBody
        write(reply.bytes)
        stream.isInUse = false
        close(abruptly: false)
    }

    private func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = transport.send($0) }
    }
}
