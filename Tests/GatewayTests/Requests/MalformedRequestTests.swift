import Gateway
import GatewayAPI
import GatewayStore
import ScrapedMetrics
import TestSupport
import Testing
import TimeCore

@Suite("Malformed requests", .serialized)
struct MalformedRequestTests {
    private static let sync = "POST /api/v1/sdk/sync HTTP/1.1\r\n"
    private static let start = "POST /api/v1/live-activity/start HTTP/1.1\r\n"
    private static let json = "Content-Type: application/json\r\n"

    private struct Case: Sendable {
        let bytes: String
        var status = 400
        var code = "BAD_REQUEST"
    }

    /// Malformed heads of requests, for the path of reports and for the router.
    private static func heads(_ line: String) -> [Case] {
        let long = String(repeating: "x", count: 40_000)
        let marks = String(repeating: "\u{301}\u{327}", count: 3_000)
        let path = line.split(separator: " ")[1]
        return [
            Case(bytes: "\(line)\(json)Content-Length: 2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a\r\nHost: a\r\n\(json)Content-Length: 2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a, b\r\nContent-Length: 2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a/b\r\nContent-Length: 2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
            Case(
                bytes: "\(line)Host: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Case(
                bytes: "\(line)Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nContent-Length: -1\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nContent-Length: 0x2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a\r\nContent-Length : 2\r\n\r\n{}"),
            Case(bytes: "\(line)Host: a\r\nX-A: b\r\n c: d\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nX A: b\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nX-A: \0\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nAccept-Encoding: e\(marks)\r\n\r\n"),
            Case(bytes: line.replacing(path, with: "\(path)?\(marks.prefix(1_000))") + "Host: a\r\n\r\n"),
            Case(bytes: line.replacing("/1.1", with: "/1.0") + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Case(bytes: line.replacing(" HTTP/1.1", with: "") + "\r\n"),
            Case(bytes: line.replacing("/1.1", with: "/2.0") + "Host: a\r\n\r\n"),
            Case(bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            Case(bytes: "\u{16}\u{3}\u{1}\u{0}\u{5}hello\r\n\r\n"),
            Case(bytes: "\(line)Host: a\r\nX-Long: \(long)\r\n\r\n", status: 431, code: "HEADERS_TOO_LARGE"),
            Case(
                bytes: "\(line)Host: a\r\n" + String(repeating: "A: b\r\n", count: 300) + "\r\n", status: 431,
                code: "HEADERS_TOO_LARGE"),
            Case(
                bytes: line.replacing(path, with: "\(path)?\(long.prefix(9000))") + "Host: a\r\n\r\n", status: 414,
                code: "URI_TOO_LONG"),
            Case(
                bytes: line.replacing(path, with: "\(path)?\(long)") + "Host: a\r\n\r\n", status: 414,
                code: "URI_TOO_LONG"),
        ]
    }

    @Test("A malformed head is answered with a code and an id, and the connection ends")
    func heads() async throws {
        try await TestStage.run(configure: { $0.api.headDeadline = .seconds(5) }) { stage in
            let port = stage.gateways[0].port
            for (number, one) in (Self.heads(Self.sync) + Self.heads(Self.start)).enumerated() {
                // After another request in one piece, a long line cannot be distinguished from long fields.
                let first = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"
                for before in one.status == 400 ? ["", first] : [""] {
                    let answer = try await DispatchThread.value {
                        let client = try RawClient(port: port)
                        client.send(before + one.bytes)
                        return client.readToEnd()
                    }
                    var text = try #require(answer, "\(number)")
                    if !before.isEmpty {
                        #expect(text.hasPrefix("HTTP/1.1 200"), "\(number): \(text)")
                        text =
                            text.firstRange(of: #"{"status":"success"}"#).map { String(text[$0.upperBound...]) } ?? ""
                    }
                    let sent = "\(number) \(one.bytes.prefix(150).debugDescription): \(text)"
                    #expect(text.hasPrefix("HTTP/1.1 \(one.status) "), "\(sent)")
                    #expect(text.contains(#""code":"\#(one.code)"}"#), "\(sent)")
                    #expect(text.contains("X-Request-Id: ") && text.contains("Connection: close"), "\(sent)")
                    // One answer, and nothing behind it.
                    #expect(text.ranges(of: "HTTP/1.1 ").count == 1, "\(sent)")
                }
            }
            // With the one coding that there is, as it may be written, the same heads are refused for their keys alone.
            for line in [Self.sync, Self.start] {
                for coding in ["chunked", "\tChunked ", "CHUNKED"] {
                    let answer = try await DispatchThread.value {
                        let client = try RawClient(port: port)
                        client.send(
                            "\(line)Host: a\r\nConnection: close\r\nTransfer-Encoding:\(coding)\r\n\r\n0\r\n\r\n")
                        return client.readToEnd()
                    }
                    #expect(answer?.hasPrefix("HTTP/1.1 401 ") == true, "\(coding): \(answer ?? "nothing")")
                }
            }
            let page = try await stage.metrics()
            #expect((page.value("fanfare_http_bad_heads_total", ["code": "400"]) ?? 0) >= 80)
            #expect(page.value("fanfare_http_bad_heads_total", ["code": "414"]) == 4)
            #expect(page.value("fanfare_http_bad_heads_total", ["code": "431"]) == 4)
        }
    }

    @Test("A body with a length beyond any number is refused at once")
    func endless() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let keys = "X-Api-Key: \(stage.tenant.apiKey)\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n"
            for line in [Self.sync, Self.start] {
                for length in ["9223372036854775807", "9223372036854775808", "18446744073709551615"] {
                    let answer = try await DispatchThread.value {
                        let client = try RawClient(port: port)
                        client.send("\(line)Host: a\r\n\(keys)\(Self.json)Content-Length: \(length)\r\n\r\n{")
                        return client.readToEnd()
                    }
                    #expect(answer?.hasPrefix("HTTP/1.1 413 ") == true, "\(length): \(answer ?? "nothing")")
                }
            }
        }
    }

    /// Malformed chunks after a valid one; another request follows.
    private static let noChunks = [
        "ZZ\r\n", "-1\r\n{\r\n", "+1\r\n{\r\n", "0x1\r\n{\r\n", "\r\n{\r\n", "1 1\r\n{\r\n",
        "10000000000000000\r\n{\r\n",
        "FFFFFFFFFFFFFFFFF\r\n{\r\n", "1\r\n{}\r\n", "1\r\n{X\r\n", "1\n{\r\n",
    ]

    @Test("A malformed body is answered once on every route, and the bytes after it are no request")
    func bodies() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let keys = "X-Api-Key: \(stage.tenant.apiKey)\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n"
            let next = "0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            func answers(_ line: String, _ head: String, _ chunks: String) async throws -> [Int] {
                let answer = try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    client.send(
                        "\(line)Host: a\r\n\(head)\(Self.json)Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n\(chunks)\(next)"
                    )
                    return client.readToEnd()
                }
                return try #require(RawReply.all(in: answer ?? ""), "\(chunks.debugDescription)").map(\.status)
            }
            for line in [Self.sync, Self.start] {
                for (head, status) in [(keys, 400), ("", 401)] {
                    for chunks in Self.noChunks {
                        let given = try await answers(line, head, chunks)
                        #expect(given == [status], "\(line) \(chunks.debugDescription)")
                    }
                    // Valid chunks, also with the extensions that a chunk may have.
                    for chunks in ["1\r\n}\r\n", "1;a=b\r\n}\r\n", "00000001\r\n}\r\n", ""] {
                        let given = try await answers(line, head, chunks)
                        #expect(given == [status, 200], "\(line) \(chunks.debugDescription)")
                    }
                }
            }
            // None of them was left open until its body was late.
            let late = try await stage.metrics().value("fanfare_http_connections_closed_total", ["reason": "deadline"])
            #expect(late == 0)
        }
    }

    @Test("A request for another protocol is answered in HTTP/1.1, and the connection ends; a target may name the host")
    func upgrades() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let upgrade = "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"
            for (text, status) in [
                ("GET /health/live HTTP/1.1\r\n\(upgrade)\r\n", 200),
                ("\(Self.sync)\(upgrade)Content-Length: 2\r\n\r\n{}", 401),
                ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 404),
                ("GET http://a/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 200),
                ("\(Self.sync.replacing(" /", with: " http://a/"))Host: a\r\nConnection: close\r\n\r\n", 401),
                ("GET /health/live HTTP/1.0\r\n\r\n", 200),
            ] {
                let answer = try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    client.send(text)
                    return client.readToEnd()
                }
                #expect(answer?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(text): \(answer ?? "nothing")")
            }
        }
    }

    @Test(
        "A body announced as too large is neither requested nor awaited",
        arguments: Escaped.each([
            "Expect: 100-continue\r\nContent-Length: 9000000", "Content-Length: 9000000000000000000",
        ]))
    func announced(_ argument: Escaped<String>) async throws {
        let fields = argument.value
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let heads = [
                "\(Self.start)Host: a\r\nX-Api-Key: \(stage.tenant.apiKey)\r\n",
                "PUT /api/v1/sdk/device HTTP/1.1\r\nHost: a\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n",
            ]
            for head in heads {
                let answer = try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    client.send("\(head)\(Self.json)\(fields)\r\n\r\n")
                    return client.readToEnd()
                }
                #expect(answer?.hasPrefix("HTTP/1.1 413 ") == true, "\(answer ?? "nothing")")
                #expect(answer?.contains("REQUEST_TOO_LARGE") == true)
            }
        }
    }
}
