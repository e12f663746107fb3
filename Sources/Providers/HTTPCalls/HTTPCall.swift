import NIOHTTP1
public import TimeCore

/// A rare HTTP request, whose answer is read whole.
public struct HTTPCall: Sendable {
    /// The HTTP method.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    let method: Method
    let url: String
    let body: [UInt8]
    let headers: HTTPHeaders
    let readsBody: @Sendable (UInt16) -> Bool

    /// - Parameters:
    ///   - url: `https://` or `http://`, with the path.
    ///   - fields: names and values, without `host` and `content-length`.
    ///   - readsBody: whether the body of an answer with that status is read. Otherwise the head is the answer.
    public init(
        _ method: Method, _ url: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        readsBody: @escaping @Sendable (_ status: UInt16) -> Bool = { _ in true }
    ) {
        self.method = method
        self.url = url
        self.body = body
        self.readsBody = readsBody
        headers = HTTPHeaders(fields)
    }
}

/// The answer to a call, with any status.
public struct HTTPAnswer: Sendable {
    /// The HTTP status, 200 to 599.
    public let status: UInt16
    /// The whole body; empty if it is not read.
    public let body: [UInt8]
    /// The time of `Retry-After`; nil without it.
    public let retryAfter: TimeInterval?
    private let headers: HTTPHeaders

    /// The value of the first field with that name, if any.
    public subscript(field name: String) -> String? { headers.first(name: name) }

    init(status: UInt16, body: [UInt8], headers: HTTPHeaders, now: WallTime) {
        self.status = status
        self.body = body
        self.headers = headers
        retryAfter = headers.first(name: "retry-after").flatMap {
            RetryAfter.parse($0, sentAt: headers.first(name: "date"), now: now)
        }
    }
}

/// The failure of a call without a readable answer.
public struct HTTPCallFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part that failed.
    public enum Kind: Sendable {
        /// The name, the proxy, or the connection.
        case connection
        /// The TLS handshake.
        case tls
        /// The deadline came, or the client was closed.
        case timeout
        /// The server refused or cancelled the request on its HTTP/2 stream (RFC 9113, section 7).
        case refused
        /// The answer is longer than the limit.
        case tooLong
    }

    /// The part that failed.
    public let kind: Kind
    /// A reason for people.
    public let description: String
    /// True if the server may have processed the request.
    public let mayHaveBeenProcessed: Bool
}
