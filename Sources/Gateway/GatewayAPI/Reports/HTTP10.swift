import NIOHTTP1

/// Rewrites the router's answers for clients of HTTP/1.0, because the server framework writes one version. Pure: heads
/// in, heads out.
struct HTTP10 {
    /// True if the next request to be answered is of HTTP/1.0. Its client does not know 100 Continue (RFC 9110, section
    /// 10.1.1).
    var isAnswered = false
    /// True if that client keeps the connection for further requests.
    var isKept = false
    /// True if the end of the connection marks the end of the current body.
    private(set) var endsWithBody = false

    /// Rewrites the head of an answer. HTTP/1.0 has no chunks, so without a length only the end of the connection marks
    /// the end of the body (RFC 9112, section 6.3).
    mutating func head(_ head: HTTPResponseHead) -> HTTPResponseHead {
        guard isAnswered else { return head }
        var head = head
        head.version = .http1_0
        endsWithBody = head.status.mayHaveResponseBody && !head.headers.contains(name: "content-length")
        if endsWithBody {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        } else if isKept, !head.headers.contains(name: "connection") {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        return head
    }

    private static let version = Array("HTTP/1.0".utf8)
    private static let kept = Array("Connection: keep-alive\r\n".utf8)

    /// Rewrites a complete answer of HTTP/1.1.
    /// - Parameter closes: True if the answer already announces the end of the connection.
    static func answer(_ bytes: [UInt8], closes: Bool) -> [UInt8] {
        guard let line = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return bytes }
        return version + bytes[version.count...line] + (closes ? [] : kept) + bytes[(line + 1)...]
    }
}
