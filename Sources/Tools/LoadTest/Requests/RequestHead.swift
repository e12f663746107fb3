/// The beginning of a request up to the length of its body (RFC 9112), as bytes that are built once.
struct RequestHead: Sendable {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - field: The name of the field with the key.
    ///   - topic: The name in the path, where the call's has one.
    init(_ kind: CallKind, topic: String = "", url: GatewayURL, field: String, key: CallKey) {
        let path = kind.path.replacing("{topic}", with: topic)
        bytes = Array(
            """
            \(kind.method) \(url.prefix)\(path) HTTP/1.1\r
            Host: \(url.authority)\r
            User-Agent: fanfare-loadtest\r
            Content-Type: application/json\r
            \(field): \(key.value)\r
            Content-Length: 
            """.utf8)
    }

    /// The whole request with this body.
    func request(_ body: [UInt8]) -> [UInt8] {
        var request = bytes
        request.reserveCapacity(bytes.count + 16 + body.count)
        request += String(body.count).utf8
        request += "\r\n\r\n".utf8
        request += body
        return request
    }
}
