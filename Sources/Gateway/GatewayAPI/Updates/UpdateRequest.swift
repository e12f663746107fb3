import NIOCore
import NIOHTTP1

/// An update that may be answered in front of the router, because its head is plain and its body short.
struct UpdateRequest {
    /// The head, for the router; nil on a plain connection, which passes on bytes.
    private(set) var head: HTTPRequestHead?
    /// The received part of the body.
    var body: ByteBuffer?
    /// The value of X-Api-Key, or the bearer token.
    let key: String
    let contentType: String?
    /// X-Request-Id.
    let requestID: String?
    /// True if the body did not arrive with the head.
    var isAwaited = false
    /// The time at which its head was complete.
    let began = NIODeadline.now()

    static let path = "/api/v1/live-activity/update"
    /// The first line of a request in HTTP/1.1.
    static let line = Array("POST \(path) HTTP/1.1\r\n".utf8)
    /// The maximum length of the body, in bytes. The router parses longer ones off the event loop.
    static let longestBody = 16_384

    /// Nil for all other heads.
    init?(_ head: HTTPRequestHead) {
        guard head.method == .POST, head.uri == UpdateRequest.path, head.version == .http1_1, head.isKeepAlive else {
            return nil
        }
        var key: String?
        var authorization: String?
        var contentType: String?
        var requestID: String?
        var announced: Int?
        for (name, value) in head.headers {
            let value = ReportHead.trimmed(value)
            // The length rules out most names.
            switch name.utf8.count {
            case 6 where ["expect", "origin", "prefer"].contains { ReportHead.matches(name, $0) }: return nil
            case 16 where ReportHead.matches(name, "content-encoding"): return nil
            case 7 where ReportHead.matches(name, "upgrade") || ReportHead.matches(name, "trailer"): return nil
            case 9 where ReportHead.matches(name, "x-api-key"): guard value.put(&key) else { return nil }
            case 12 where ReportHead.matches(name, "content-type"): guard value.put(&contentType) else { return nil }
            case 12 where ReportHead.matches(name, "x-request-id"): guard value.put(&requestID) else { return nil }
            case 13 where ReportHead.matches(name, "authorization"):
                guard value.put(&authorization) else { return nil }
            case 14 where ReportHead.matches(name, "content-length"): announced = Int(value)
            case 15 where ReportHead.matches(name, "idempotency-key"): return nil
            case 17 where ReportHead.matches(name, "transfer-encoding"): return nil
            default: break
            }
        }
        self.init(
            key: key ?? BearerToken.key(authorization), contentType: contentType, requestID: requestID,
            announced: announced)
        self.head = head
    }

    /// Creates an update from parsed fields. Nil without a key, and for an empty or long body.
    init?(key: String?, contentType: String?, requestID: String?, announced: Int?) {
        guard let key, let announced, (1...UpdateRequest.longestBody).contains(announced) else { return nil }
        self.key = key
        self.contentType = contentType
        self.requestID = requestID.flatMap { RequestID.isSane($0) ? $0 : nil }
    }

    /// Adds a piece of the body.
    mutating func add(_ bytes: ByteBuffer) {
        guard var body else {
            self.body = bytes
            return
        }
        var bytes = bytes
        body.writeBuffer(&bytes)
        self.body = body
    }
}

extension String {
    /// False if the field has a value already.
    fileprivate func put(_ field: inout String?) -> Bool {
        guard field == nil else { return false }
        field = self
        return true
    }
}
