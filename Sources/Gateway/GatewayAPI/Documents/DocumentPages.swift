import APIDocument
import HTTPTypes
import Hummingbird
import NIOCore
import Reactor

/// The document of the API in two formats, and as a page for people. Each is created at the first request and cached.
struct DocumentPages: Sendable {
    enum Page: String, CaseIterable, Sendable {
        case yaml = "openapi.yaml"
        case json = "openapi.json"
        case people = "docs"
    }

    private struct Made: Sendable {
        let body: ByteBuffer
        /// The body as gzip. Compressing takes milliseconds, and requests need no key.
        let packed: ByteBuffer?
        let headers: HTTPFields
        let tag: EntityTag
    }

    private let made = Locked<[Page: Made]>([:])

    func answer(_ page: Page, _ request: Request) throws -> Response {
        let made = try made(page)
        if made.tag.isKnown(request.headers) {
            var headers = made.headers
            headers[.contentType] = nil
            headers[.vary] = "Accept-Encoding"
            return Response(status: .notModified, headers: headers)
        }
        if let packed = made.packed, ReplyCompression.takesGzip(request.headers) {
            var headers = made.headers
            ReplyCompression.describe(&headers)
            headers[.vary] = "Accept-Encoding"
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: packed))
        }
        return Response(status: .ok, headers: made.headers, body: .init(byteBuffer: made.body))
    }

    private func made(_ page: Page) throws -> Made {
        if let made = made.withLock({ $0[page] }) { return made }
        let new = try DocumentPages.make(page)
        made.withLock { $0[page] = new }
        return new
    }

    private static func make(_ page: Page) throws -> Made {
        var headers = HTTPFields()
        let bytes: [UInt8]
        switch page {
        case .yaml:
            bytes = APIDocument.yaml
            headers[.contentType] = "application/yaml"
        case .json:
            bytes = try APIDocument().json
            headers[.contentType] = "application/json"
        case .people:
            let page = try APIDocument().page()
            bytes = page.html
            headers[.contentType] = "text/html; charset=utf-8"
            headers[.contentSecurityPolicy] = page.contentSecurityPolicy
            headers[.referrerPolicy] = "no-referrer"
        }
        let tag = EntityTag(of: bytes)
        headers[.eTag] = tag.text
        // Another version of the gateway has another document. Revalidation costs a 304.
        headers[.cacheControl] = "no-cache"
        headers[.xContentTypeOptions] = "nosniff"
        let packed = bytes.withUnsafeBytes { Gzip.compress($0) }
        return Made(
            body: ByteBuffer(bytes: bytes), packed: packed.map { ByteBuffer(bytes: $0) }, headers: headers, tag: tag)
    }
}
