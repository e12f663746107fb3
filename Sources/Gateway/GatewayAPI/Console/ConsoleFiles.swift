import CConsoleAssets
import HTTPTypes
import Hummingbird
import NIOCore

/// The page and the files that it loads, which are part of the executable.
struct ConsoleFiles: Sendable {
    /// The page's own name.
    static let page = "index.html"

    private struct File: Sendable {
        let body: ByteBuffer
        let type: String
        let tag: EntityTag
    }

    private let files: [String: File]

    init() {
        var files: [String: File] = [:]
        for index in 0..<console_asset_count() {
            let asset = console_asset(index)
            guard let name = asset.name, let start = asset.bytes else { continue }
            let bytes = Array(UnsafeBufferPointer(start: start, count: asset.length))
            let text = String(cString: name)
            files[text] = File(
                body: ByteBuffer(bytes: bytes), type: ConsoleFiles.type(of: text),
                tag: EntityTag(of: bytes))
        }
        self.files = files
    }

    /// All names.
    var names: [String] { files.keys.sorted() }

    func answer(_ name: String, _ request: Request) throws -> Response {
        guard [.get, .head].contains(request.method) else {
            throw APIError(.methodNotAllowed, "the method is not allowed; use GET or HEAD")
        }
        guard let file = files[name] else { throw APIError(.notFound, "the file does not exist in the console") }
        // Another version of the gateway has other files: the browser asks each time, which costs a 304.
        var headers: HTTPFields = [.eTag: file.tag.text, .cacheControl: "no-cache"]
        guard !file.tag.isKnown(request.headers) else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = file.type
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: file.body))
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/javascript; charset=utf-8"
        }
    }
}
