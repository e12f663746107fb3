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
        UpdateRequest.line,
    ]
    private static let update = usual.replacing("sdk/sync", with: "live-activity/update")
        .replacing("X-Sdk-Key", with: "X-Api-Key")
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

    private static func plain(_ text: [UInt8], lastKey: String? = nil) -> PlainHead? {
        text.withUnsafeBytes { PlainHead($0, lines: lines, reports: 3, lastKey: lastKey) }
    }

    @Test("What nearly every device sends is read")
    func reads() throws {
        let plain = try #require(PlainHeadTests.plain(Array((PlainHeadTests.usual + "{}").utf8)))
        #expect(plain.byteCount == PlainHeadTests.usual.utf8.count && plain.bodyCount == 2)
        let head = try #require(plain.report)
        #expect(head.place == 2 && head.key == "ffs_1234" && head.contentType == "application/json")
        #expect(head.signature == "v2.1.ab" && head.requestID == "abc" && head.isKeepAlive)
        #expect(head.forwardedFor == ["10.0.0.1, 10.0.0.2"] && head.announced == 2)
    }

    @Test(
        "A key is what was sent, whichever came last",
        arguments: ["ffs_1234", "ffs_1235", "gfs_1234", "ffs_123", "ffs_12345", ""])
    func keys(_ lastKey: String) throws {
        let plain = try #require(PlainHeadTests.plain(Array(PlainHeadTests.usual.utf8), lastKey: lastKey))
        #expect(plain.report?.key == "ffs_1234")
        let other = PlainHeadTests.usual.replacing("application/json", with: "application/jsan")
        #expect(PlainHeadTests.plain(Array(other.utf8), lastKey: lastKey)?.report?.contentType == "application/jsan")
    }

    @Test(
        "What is not plain is left to the parser",
        arguments: Escaped.each([
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close", "Connection: Upgrade",
            "Upgrade: h2c", "TE: trailers", "Trailer: X", "Proxy-Connection: close", "Content-Length: 2",
            "Host: b", "X-Sdk-Key: b", "Content-Type: text/plain", "X-A: \u{7F}", "X-A: é", "X-A\t: b", "X A: b",
            " X-A: b",
            "X-A:\tb\t", ": b", "X-A",
        ]))
    func leaves(_ argument: Escaped<String>) {
        let field = argument.value
        let text = PlainHeadTests.usual.replacing("User-Agent: App/1 (iPhone; iOS 18.1)", with: field)
        #expect(PlainHeadTests.plain(Array(text.utf8)) == nil)
        let update = PlainHeadTests.update.replacing("User-Agent: App/1 (iPhone; iOS 18.1)", with: field)
        #expect((PlainHeadTests.plain(Array(update.utf8)) == nil) == (field != "X-Sdk-Key: b"))
    }

    @Test("What nearly every sender of an update sends is read, and what asks for more is left to the parser")
    func updates() throws {
        let update = try #require(PlainHeadTests.plain(Array(PlainHeadTests.update.utf8))?.update)
        #expect(update.key == "ffs_1234" && update.contentType == "application/json" && update.requestID == "abc")
        for field in ["Prefer: wait=1", "Idempotency-Key: a", "X-Api-Key: b"] {
            let text = PlainHeadTests.update.replacing("User-Agent: App/1 (iPhone; iOS 18.1)", with: field)
            #expect(PlainHeadTests.plain(Array(text.utf8)) == nil)
        }
        for (part, other) in [("X-Api-Key", "X-Sdk-Key"), ("Content-Length: 2", "Content-Length: 16385")] {
            #expect(PlainHeadTests.plain(Array(PlainHeadTests.update.replacing(part, with: other).utf8)) == nil)
        }
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

    @Test(
        "Whatever is plain the parser reads as the same request", .timeLimit(.minutes(1)), arguments: [false, true])
    func agrees(isUpdate: Bool) throws {
        var random = TestSeed.generator()
        let spice = Array(
            "\r\n\r\n\t :;,\0\u{7F}{}0123456789aAzZ-_%Host:Content-Length: 1\r\nconnection: close\r\n".utf8)
        var plainCount = 0
        for _ in 0..<20_000 {
            var bytes = Array((isUpdate ? PlainHeadTests.update : PlainHeadTests.usual).utf8)
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
            let (parsed, parsedBody) = parts
            #expect(parsedBody == body)
            guard case .fine = HeadCheck.check(parsed) else {
                Issue.record("it is refused: \(parsed)")
                continue
            }
            let version = "\(parsed.version.major).\(parsed.version.minor)"
            let line = Array("\(parsed.method.rawValue) \(parsed.uri) HTTP/\(version)\r\n".utf8)
            switch plain.request {
            case .report(let head):
                #expect(PlainHeadTests.lines[head.place] == line && parsed.isKeepAlive)
                let theirs = ReportHead(head.place, parsed)
                #expect(theirs.key == head.key && theirs.contentType == head.contentType)
                #expect(theirs.requestID == head.requestID && theirs.announced == head.announced)
                #expect(theirs.signature == head.signature && theirs.forwardedFor == head.forwardedFor)
                #expect(theirs.isKeepAlive && head.isKeepAlive)
            case .update(let update):
                #expect(UpdateRequest.line == line)
                let theirs = try #require(UpdateRequest(parsed), "\(parsed)")
                #expect(theirs.key == update.key && theirs.contentType == update.contentType)
                #expect(theirs.requestID == update.requestID)
            }
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

extension PlainHead {
    fileprivate var report: ReportHead? { if case .report(let head) = request { head } else { nil } }
    fileprivate var update: UpdateRequest? { if case .update(let update) = request { update } else { nil } }
}
