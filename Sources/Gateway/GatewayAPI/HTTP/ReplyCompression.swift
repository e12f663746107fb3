import HTTPTypes
import Hummingbird
import NIOCore

/// Compresses long replies to GET as gzip for clients that accept it (RFC 9110, section 8.4). Streams, which have no
/// length, stay uncompressed because their events must not be delayed.
enum ReplyCompression {
    /// The minimum length of a compressed reply, in bytes.
    static let shortest = 2048

    /// True if a reply is long enough to depend on the codings that the client accepts.
    static func applies(to response: Response, of request: Request) -> Bool {
        guard request.method == .get || request.method == .head, response.headers[.contentEncoding] == nil else {
            return false
        }
        return response.body.contentLength ?? 0 >= shortest
    }

    /// True if a client accepts gzip (RFC 9110, section 12.5.3).
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

    /// Returns the reply as gzip, or unchanged if that is not shorter.
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

    /// Sets a reply's headers for a body as gzip.
    static func describe(_ headers: inout HTTPFields) {
        headers[.contentEncoding] = "gzip"
        // A strong tag would claim identical bytes, so a compressed body gets a weak one.
        if let tag = headers[.eTag], !tag.hasPrefix("W/") { headers[.eTag] = "W/\(tag)" }
        headers[.contentLength] = nil
    }

    /// `@unchecked Sendable`: guarded by the write's end. Only the writer uses it before, only the waiting task after.
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
