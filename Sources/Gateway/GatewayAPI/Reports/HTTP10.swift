import NIOHTTP1

/// What changes about the router's answers on a connection whose client speaks HTTP/1.0, for the server framework knows
/// one version. Pure: heads in, heads out.
struct HTTP10 {
    /// Whether the request that is answered next is of HTTP/1.0. A client of that knows no answer before the answer
    /// (RFC 9110, section 10.1.1).
    var isAnswered = false
    /// Whether that client keeps its connection for further requests.
    var isKept = false
    /// Whether the end of the body that is being written is that of the connection.
    private(set) var endsWithBody = false

    /// The head of an answer as such a client reads it. In the older version no body comes in chunks: where there is no
    /// length nothing but the end of the connection tells where the body ends (RFC 9112, section 6.3).
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

    /// A whole answer of HTTP/1.1 as such a client reads it.
    /// - Parameter closes: whether it says already that the connection ends with it.
    static func answer(_ bytes: [UInt8], closes: Bool) -> [UInt8] {
        guard let line = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return bytes }
        return version + bytes[version.count...line] + (closes ? [] : kept) + bytes[(line + 1)...]
    }
}
