import NIOCore
import NIOHTTP1

/// An update whose head is plain enough, and whose body short enough, that it may be answered in front of the router.
struct UpdateRequest {
    /// As the router gets it, should it not be answered here; nil where that gets bytes.
    private(set) var head: HTTPRequestHead?
    /// What has come of the body.
    var body: ByteBuffer?
    /// X-Api-Key, or the bearer's.
    let key: String
    let contentType: String?
    /// X-Request-Id.
    let requestID: String?
    /// Whether its head has come alone.
    var isAwaited = false
    /// When its head had come.
    let began = NIODeadline.now()

    static let path = "/api/v1/live-activity/update"
    /// The first line of one of HTTP/1.1.
    static let line = Array("POST \(path) HTTP/1.1\r\n".utf8)
    /// Longer bodies are parsed where they keep nobody waiting.
    static let longestBody = 16_384

    /// Nil for whatever else the head asks for.
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
            // Most fields are told apart by their length.
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

    /// What the head of one says whose fields have been read. Nil without a key, and for a body that is none or long.
    init?(key: String?, contentType: String?, requestID: String?, announced: Int?) {
        guard let key, let announced, (1...UpdateRequest.longestBody).contains(announced) else { return nil }
        self.key = key
        self.contentType = contentType
        self.requestID = requestID.flatMap { RequestID.isSane($0) ? $0 : nil }
    }

    /// A piece of the body has come.
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
    /// False when the field has a value already.
    fileprivate func put(_ field: inout String?) -> Bool {
        guard field == nil else { return false }
        field = self
        return true
    }
}
