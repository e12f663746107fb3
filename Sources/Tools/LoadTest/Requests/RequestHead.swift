/// The beginning of a request up to the length of its body (RFC 9112), as bytes that are built once.
struct RequestHead: Sendable {
    let bytes: [UInt8]
    /// Nil: the request bears no signature.
    let signer: ReportSigner?
    /// Where the signature goes that each device has its own of.
    let signatureAt: Int

    /// - Parameters:
    ///   - field: The name of the field with the key.
    ///   - topic: The name in the path, where the call's has one.
    ///   - signer: Signs for the devices.
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

    /// The head of what a device sends.
    init(_ kind: CallKind, topic: String = "", url: GatewayURL, device: DeviceCredential) {
        self.init(kind, topic: topic, url: url, field: "X-Sdk-Key", key: device.key, signer: device.signer)
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
