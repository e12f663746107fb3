public import Foundation

/// Where the gateway is, and how it is talked to.
public struct FanfareConfiguration: Sendable {
    /// Gives the identity signature of somebody: asks the app's own server, which has the identity secret. It may take
    /// ten seconds; an error means that there is none now, and it is asked again later.
    public typealias IdentitySignature = @Sendable (DeviceIdentity) async throws -> String

    /// The gateway's address, without the path of its API.
    public let gateway: URL
    /// The customer's SDK key.
    public let sdkKey: String
    /// Signs for whom this device may report; nil where the gateway demands no signature. A signature is used until it
    /// is refused, as long as the app runs.
    public var identitySignature: IdentitySignature?
    /// How many seconds a Live Activity stays without new content before it is ended on this phone; nil: for ever. A
    /// content whose `stale_date` is later is left until then.
    public var staleAfter: TimeInterval? = 1800
    /// How often and how long is tried.
    public var retry = RetryPolicy()
    /// The seconds within which a request must be answered.
    public var requestTimeout: TimeInterval = 15

    /// Nil when the address is not `https://` with a host (`http://` is taken for this machine alone), or when the key
    /// is empty or has characters that no header can have.
    public init?(gateway: URL, sdkKey: String) {
        guard let host = gateway.host, !host.isEmpty, gateway.query == nil, gateway.fragment == nil else { return nil }
        let isHere = ["localhost", "127.0.0.1", "::1"].contains(host)
        guard gateway.scheme == "https" || (gateway.scheme == "http" && isHere), sdkKey.isHeaderValue else {
            return nil
        }
        self.gateway = gateway
        self.sdkKey = sdkKey
    }

    /// The request with its keys; nil when the address cannot be put together.
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
    /// Whether it can be sent as the value of a header: visible ASCII.
    var isHeaderValue: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
