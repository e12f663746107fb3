public import Foundation

/// The gateway's address and the options of the client.
public struct FanfareConfiguration: Sendable {
    /// Returns the identity signature of a user and device, from the app's server that has the identity secret. It may
    /// take ten seconds. After an error it is called again later.
    public typealias IdentitySignature = @Sendable (DeviceIdentity) async throws -> String

    /// The gateway's URL, without the path of its API.
    public let gateway: URL
    /// The customer's SDK key.
    public let sdkKey: String
    /// The source of identity signatures; nil if the gateway requires none. A signature is reused until it is refused
    /// or the app ends.
    public var identitySignature: IdentitySignature?
    /// The seconds without new content after which a Live Activity is ended on this phone; nil for no limit. A later
    /// `stale_date` of the content extends the time.
    public var staleAfter: TimeInterval? = 1800
    /// The pauses and limits of retries.
    public var retry = RetryPolicy()
    /// The timeout of a request in seconds.
    public var requestTimeout: TimeInterval = 15

    /// Returns nil for a URL without `https://` and a host, or with a query or fragment. `http://` is accepted only for
    /// this machine. Also returns nil for a key that is empty or has characters other than visible ASCII.
    public init?(gateway: URL, sdkKey: String) {
        guard let host = gateway.host, !host.isEmpty, gateway.query == nil, gateway.fragment == nil else { return nil }
        let isHere = ["localhost", "127.0.0.1", "::1"].contains(host)
        guard gateway.scheme == "https" || (gateway.scheme == "http" && isHere), sdkKey.isHeaderValue else {
            return nil
        }
        self.gateway = gateway
        self.sdkKey = sdkKey
    }

    /// Returns the HTTP request with its keys; nil if the URL is malformed.
    func call(_ request: GatewayRequest, signature: String?) -> HTTPCall? {
        var address = gateway.absoluteString
        while address.hasSuffix("/") { address.removeLast() }
        guard let url = URL(string: address + request.path) else { return nil }
        var headers = ["X-Sdk-Key": sdkKey, "Accept": "application/json"]
        headers["X-Identity-Signature"] = signature
        headers["Idempotency-Key"] = request.idempotencyKey
        if request.body != nil { headers["Content-Type"] = "application/json" }
        return HTTPCall(
            url: url, method: request.method, headers: headers, body: request.body, timeout: requestTimeout)
    }
}

extension String {
    /// True if the text can be sent as a header value: visible ASCII.
    var isHeaderValue: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
