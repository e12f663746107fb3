import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import GatewayAPI

/// Heads that are read without the parser of HTTP must mean to it what they mean here.
@Suite("Plain heads of reports")
struct PlainHeadTests {
    private static let lines: [[UInt8]] = [
        [], Array("PUT /api/v1/sdk/device HTTP/1.1\r\n".utf8), Array("POST /api/v1/sdk/sync HTTP/1.1\r\n".utf8),
    ]
    private static let usual = """
        POST /api/v1/sdk/sync HTTP/1.1\r
        Host: 127.0.0.1:8080\r
        X-Sdk-Key: ffs_1234\r
        content-type:application/json \r
        X-Identity-Signature: v2.1.ab\r
        X-Request-Id: abc\r
        X-Forwarded-For: 10.0.0.1, 10.0.0.2\r
        User-Agent: App/1 (iPhone; iOS 18.1)\r
        Connection: Keep-Alive\r
        Content-Length: 2\r
        \r

        """

    private static func plain(_ text: [UInt8]) -> PlainHead? {
        text.withUnsafeBytes { PlainHead($0, lines: lines) }
    }

    @Test("What nearly every device sends is read")
    func reads() throws {
        let plain = try #require(PlainHeadTests.plain(Array((PlainHeadTests.usual + "{}").utf8)))
        #expect(plain.byteCount == PlainHeadTests.usual.utf8.count && plain.bodyCount == 2)
        #expect(plain.head.place == 2 && plain.head.key == "ffs_1234" && plain.head.contentType == "application/json")
        #expect(plain.head.signature == "v2.1.ab" && plain.head.requestID == "abc" && plain.head.isKeepAlive)
        #expect(plain.head.forwardedFor == ["10.0.0.1, 10.0.0.2"] && plain.head.announced == 2)
    }

    @Test(
        "What is not plain is left to the parser",
        arguments: [
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close", "Connection: Upgrade",
            "Upgrade: h2c", "TE: trailers", "Trailer: X", "Proxy-Connection: close", "Content-Length: 2",
            "Host: b", "X-Sdk-Key: b", "Content-Type: text/plain", "X-A: \u{7F}", "X-A: é", "X-A\t: b", "X A: b",
            " X-A: b",
            "X-A:\tb\t", ": b", "X-A",
        ])
    func leaves(_ field: String) {
        let text = PlainHeadTests.usual.replacing("User-Agent: App/1 (iPhone; iOS 18.1)", with: field)
        #expect(PlainHeadTests.plain(Array(text.utf8)) == nil)
    }

    @Test("A head that has not come in whole, has no length or no host is left to the parser")
    func isNotWhole() {
        let bytes = Array(PlainHeadTests.usual.utf8)
        for count in bytes.indices { #expect(PlainHeadTests.plain(Array(bytes[..<count])) == nil) }
        for field in ["Content-Length: 2\r\n", "Host: 127.0.0.1:8080\r\n"] {
            #expect(PlainHeadTests.plain(Array(PlainHeadTests.usual.replacing(field, with: "").utf8)) == nil)
        }
        for length in ["", "-1", "+2", "0x2", "2, 2", "1234567890"] {
            let text = PlainHeadTests.usual.replacing("Content-Length: 2", with: "Content-Length: \(length)")
            #expect(PlainHeadTests.plain(Array(text.utf8)) == nil)
        }
        let long = PlainHeadTests.usual.replacing("App/1", with: String(repeating: "a", count: PlainHead.longest))
        #expect(PlainHeadTests.plain(Array(long.utf8)) == nil)
    }

    @Test("Whatever is plain the parser reads as the same request", .timeLimit(.minutes(1)))
    func agrees() throws {
        var random = TestSeed.generator()
        let spice = Array(
            "\r\n\r\n\t :;,\0\u{7F}{}0123456789aAzZ-_%Host:Content-Length: 1\r\nconnection: close\r\n".utf8)
        var plainCount = 0
        for _ in 0..<20_000 {
            var bytes = Array(PlainHeadTests.usual.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[at] = spice.randomElement(using: &random)!
                case 1: bytes.remove(at: at)
                case 2: bytes.insert(spice.randomElement(using: &random)!, at: at)
                default:
                    let from = Int.random(in: 0..<spice.count, using: &random)
                    bytes.insert(contentsOf: spice[from..<min(spice.count, from + 12)], at: at)
                }
            }
            guard let plain = PlainHeadTests.plain(bytes), plain.bodyCount < 1000 else { continue }
            plainCount += 1
            let body = (0..<plain.bodyCount).map { _ in spice.randomElement(using: &random)! }
            let whole = Array(bytes[..<plain.byteCount]) + body
            let parts = try #require(
                PlainHeadTests.parsed(whole), "\(String(decoding: whole, as: UTF8.self).debugDescription)")
            let (head, parsedBody) = parts
            #expect(parsedBody == body)
            guard case .fine = HeadCheck.check(head) else {
                Issue.record("it is refused: \(head)")
                continue
            }
            let line = "\(head.method.rawValue) \(head.uri) HTTP/\(head.version.major).\(head.version.minor)\r\n"
            #expect(PlainHeadTests.lines[plain.head.place] == Array(line.utf8))
            let theirs = ReportHead(plain.head.place, head)
            #expect(theirs.key == plain.head.key && theirs.contentType == plain.head.contentType)
            #expect(theirs.requestID == plain.head.requestID && theirs.announced == plain.head.announced)
            #expect(theirs.signature == plain.head.signature && theirs.forwardedFor == plain.head.forwardedFor)
            #expect(theirs.isKeepAlive && plain.head.isKeepAlive)
        }
        #expect(plainCount > 1000)
    }

    /// One whole request and nothing besides, as the parser has it.
    private static func parsed(_ bytes: [UInt8]) -> (HTTPRequestHead, [UInt8])? {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        guard (try? channel.writeInbound(ByteBuffer(bytes: bytes))) != nil else { return nil }
        guard case .head(let head)? = try? channel.readInbound(as: HTTPServerRequestPart.self) else { return nil }
        var body: [UInt8] = []
        while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head: return nil
            case .body(let piece): body += piece.readableBytesView
            case .end: return (try? channel.readInbound(as: HTTPServerRequestPart.self)) == nil ? (head, body) : nil
            }
        }
        return nil
    }
}
