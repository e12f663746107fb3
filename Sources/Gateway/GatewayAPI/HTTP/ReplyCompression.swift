import HTTPTypes
import Hummingbird
import NIOCore

/// Sends long replies to GET as gzip to clients that take it (RFC 9110, section 8.4). What is short is not worth it,
/// and what has no length is a stream, whose events must not wait for each other.
enum ReplyCompression {
    /// Replies of fewer bytes go out as they are.
    static let shortest = 2048

    /// Whether a reply is long enough to be told apart by what the client takes.
    static func applies(to response: Response, of request: Request) -> Bool {
        guard request.method == .get || request.method == .head, response.headers[.contentEncoding] == nil else {
            return false
        }
        return response.body.contentLength ?? 0 >= shortest
    }

    /// Whether a client takes gzip (RFC 9110, section 12.5.3).
    static func takesGzip(_ headers: HTTPFields) -> Bool {
        var any = false
        for item in headers[values: .acceptEncoding].flatMap({ $0.lowercased().split(separator: ",") }) {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch parts.first {
            case "gzip", "x-gzip": return weight > 0
            case "*": any = weight > 0
            default: break
            }
        }
        return any
    }

    /// The reply as gzip, or as it was where nothing is gained.
    static func compressed(_ response: Response) async throws -> Response {
        let collected = Collected()
        try await response.body.write(Collector(collected: collected))
        var response = response
        response.body = .init(byteBuffer: collected.bytes)
        guard let gzip = collected.bytes.withUnsafeReadableBytes({ Gzip.compress($0) }) else { return response }
        describe(&response.headers)
        response.body = .init(byteBuffer: ByteBuffer(bytes: gzip))
        return response
    }

    /// Says of a reply's headers that the body is gzip.
    static func describe(_ headers: inout HTTPFields) {
        headers[.contentEncoding] = "gzip"
        // Other bytes are another representation: only a weak tag is true of both.
        if let tag = headers[.eTag], !tag.hasPrefix("W/") { headers[.eTag] = "W/\(tag)" }
        headers[.contentLength] = nil
    }

    /// `@unchecked Sendable`: guarded by the end of the write, up to which the writer alone touches it, and from then
    /// on who waits for that.
    private final class Collected: @unchecked Sendable {
        var bytes = ByteBuffer()
    }

    private struct Collector: ResponseBodyWriter {
        let collected: Collected

        mutating func write(_ buffer: ByteBuffer) async throws {
            var buffer = buffer
            collected.bytes.writeBuffer(&buffer)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
