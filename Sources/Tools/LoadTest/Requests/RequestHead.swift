/// The bytes of a request before the length of its body (RFC 9112), built once.
struct RequestHead: Sendable {
    let bytes: [UInt8]
    /// Nil if the request has no signature.
    let signer: ReportSigner?
    /// The offset of the signature, which differs for each device.
    let signatureAt: Int

    /// - Parameters:
    ///   - topic: The name that replaces `{topic}` in the path.
    ///   - field: The name of the header field with the key.
    ///   - signer: Signs the requests of devices.
    init(
        _ kind: CallKind, topic: String = "", url: GatewayURL, field: String, key: CallKey, signer: ReportSigner? = nil
    ) {
        let path = kind.path.replacing("{topic}", with: topic)
        self.signer = signer
        var bytes = Array(
            """
            \(kind.method) \(url.prefix)\(path) HTTP/1.1\r
            Host: \(url.authority)\r
            User-Agent: fanfare-loadtest\r
            Content-Type: application/json\r
            \(field): \(key.value)\r

            """.utf8)
        if signer != nil { bytes += "X-Identity-Signature: ".utf8 }
        signatureAt = bytes.count
        if let signer { bytes += [UInt8](repeating: UInt8(ascii: "0"), count: signer.length) + "\r\n".utf8 }
        self.bytes = bytes + "Content-Length: ".utf8
    }

    /// Creates the head of a device's request.
    init(_ kind: CallKind, topic: String = "", url: GatewayURL, device: DeviceCredential) {
        self.init(kind, topic: topic, url: url, field: "X-Sdk-Key", key: device.key, signer: device.signer)
    }

    /// Returns the complete request with this body.
    func request(_ body: [UInt8]) -> [UInt8] {
        var request = bytes
        request.reserveCapacity(bytes.count + 16 + body.count)
        request += String(body.count).utf8
        request += "\r\n\r\n".utf8
        request += body
        return request
    }
}
