import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import TestSupport
import Testing
import TimeCore

@Suite("Clients that misbehave", .serialized)
struct MisbehavingClientTests {
    private static let head = "POST /api/v1/live-activity/start HTTP/1.1\r\nHost: x\r\n"

    private func stage(_ body: (TestStage, String) async throws -> Void) async throws {
        try await TestStage.run(configure: {
            $0.api.headDeadline = .seconds(2)
            $0.api.bodyDeadline = .seconds(1)
        }) { stage in
            try await body(stage, "X-Api-Key: \(stage.tenant.apiKey)\r\nContent-Type: application/json\r\n")
            // The gateway still serves.
            #expect(try await stage.call("start", "{").code == "BAD_REQUEST")
            #expect(try await stage.ready().status == 200)
        }
    }

    @Test("A client that connects and says nothing is closed")
    func silent() async throws {
        try await stage { stage, _ in
            let port = stage.gateways[0].port
            let answer = try await DispatchThread.value { try RawClient(port: port).readToEnd() }
            #expect(answer == "")
        }
    }

    @Test("A connection with a slow head is closed at its deadline")
    func dribblingHead() async throws {
        try await stage { stage, _ in
            let port = stage.gateways[0].port
            let ended = try await DispatchThread.value {
                let client = try RawClient(port: port)
                for byte in Self.head + String(repeating: "A: b\r\n", count: 200) {
                    guard client.send(String(byte)) else { return true }
                    DispatchThread.pause(milliseconds: 50)
                }
                return client.readToEnd() != nil
            }
            #expect(ended)
        }
    }

    @Test("A slow body is answered 408 at its deadline")
    func dribblingBody() async throws {
        try await stage { stage, headers in
            let port = stage.gateways[0].port
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(Self.head + headers + "Content-Length: 1000\r\n\r\n")
                for _ in 0..<200 where client.send("x") { DispatchThread.pause(milliseconds: 50) }
                return client.readToEnd()
            }
            let text = try #require(answer)
            #expect(text.contains("REQUEST_TIMEOUT"))
        }
    }

    @Test("A connection that was answered before the end of its body is closed at its deadline as well")
    func answeredEarly() async throws {
        try await stage { stage, _ in
            let port = stage.gateways[0].port
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(Self.head + "Content-Length: 10\r\n\r\n")
                DispatchThread.pause(milliseconds: 300)
                client.send("0123456789")
                return client.readToEnd()
            }
            #expect(try #require(answer).hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test("A refusal before the end of a body announces the end of the connection; later bytes are not carried out")
    func refusedEarly() async throws {
        try await stage { stage, headers in
            let port = stage.gateways[0].port
            let sdk = "X-Sdk-Key: \(stage.tenant.sdkKey)\r\nContent-Type: application/json\r\n"
            let behind = "GET /api/v1/limits HTTP/1.1\r\nHost: x\r\n\(headers)\r\n"
            for (head, length) in [
                ("POST /api/v1/live-activity/register HTTP/1.1\r\nHost: x\r\n\(headers)", 3_000_000),
                ("POST /api/v1/sdk/tap HTTP/1.1\r\nHost: x\r\n\(sdk)", 70_000),
            ] {
                let answer = try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    let body = String(repeating: "x", count: length)
                    client.send("\(head)Content-Length: \(length)\r\n\r\n\(body)\(behind)")
                    return client.readToEnd()
                }
                let text = try #require(answer).lowercased()
                #expect(text.hasPrefix("http/1.1 413") && text.contains("\r\nconnection: close\r\n"), "\(text)")
                #expect(text.split(separator: "http/1.1 ").count == 1, "\(text)")
            }
        }
    }

    @Test("The answer to a request with Connection: close is the last one, and has the same header")
    func lastRequest() async throws {
        try await stage { stage, headers in
            let port = stage.gateways[0].port
            let one = "GET /api/v1/limits HTTP/1.1\r\nHost: x\r\n\(headers)"
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send("\(one)\r\n\(one)Connection: close\r\n\r\n\(one)\r\n")
                return client.readToEnd()
            }
            let answers = try #require(answer).lowercased().split(separator: "http/1.1 ")
            #expect(answers.map { $0.prefix(3) } == ["200", "200"], "\(answer ?? "")")
            #expect(answers.map { $0.contains("\r\nconnection: close\r\n") } == [false, true], "\(answer ?? "")")
        }
    }

    @Test("The deadline of a pipelined request begins with its turn, and ends no earlier request")
    func sentAhead() async throws {
        try await stage { stage, headers in
            var script = MockScript()
            // Longer than the body behind may take.
            script.latency = .fixed(.seconds(5))
            stage.mock.setScript(script)
            try await stage.addDevices(1)
            let start = TestStage.body(try await stage.register(1))
            let port = stage.gateways[0].port
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                let first = "\(Self.head)\(headers)Content-Length: \(start.utf8.count)\r\n\r\n\(start)"
                client.send("\(first)\(Self.head)\(headers)Content-Length: 100\r\n\r\n{")
                return client.readToEnd()
            }
            let answers = try #require(answer).split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(answers == ["200", "408"], "\(answer ?? "")")
        }
    }

    @Test(
        "A body that stops, or does not begin, is answered 408 at its deadline",
        arguments: Escaped.each([
            "Content-Length: 1000\r\n\r\n{\"activity_id\":", "Content-Length: 1000\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
        ]))
    func halfABody(_ argument: Escaped<String>) async throws {
        let rest = argument.value
        try await stage { stage, headers in
            let port = stage.gateways[0].port
            let sdk = "X-Sdk-Key: \(stage.tenant.sdkKey)\r\nContent-Type: application/json\r\n"
            for head in [Self.head + headers, "POST /api/v1/sdk/tap HTTP/1.1\r\nHost: x\r\n\(sdk)"] {
                let answer = try await DispatchThread.value {
                    let client = try RawClient(port: port)
                    client.send(head + rest)
                    return client.readToEnd()
                }
                #expect(answer?.hasPrefix("HTTP/1.1 408") == true, "\(answer ?? "nothing")")
                #expect(answer?.contains("REQUEST_TIMEOUT") == true)
            }
        }
    }

    @Test("100 KB of headers are refused")
    func longHeaders() async throws {
        try await stage { stage, headers in
            let port = stage.gateways[0].port
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(Self.head + headers + "X-Long: \(String(repeating: "x", count: 100_000))\r\n\r\n")
                return client.readToEnd()
            }
            let text = try #require(answer)
            #expect(!text.contains(" 200 "))
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"))
        }
    }

    @Test("10 MB of body are refused with 413, announced or not")
    func longBody() async throws {
        try await stage { stage, headers in
            let port = stage.gateways[0].port
            let announced = try await stage.call("start", #"{"a":"\#(String(repeating: "x", count: 3 << 20))"}"#)
            #expect(announced.status == 413 && announced.code == "REQUEST_TOO_LARGE")
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(Self.head + headers + "Transfer-Encoding: chunked\r\n\r\n")
                let chunk = "10000\r\n\(String(repeating: "x", count: 0x10000))\r\n"
                for _ in 0..<160 where !client.send(chunk) { break }
                return client.readToEnd()
            }
            let text = try #require(answer)
            #expect(text.isEmpty || text.contains("REQUEST_TOO_LARGE"), "\(text.prefix(300))")
        }
    }

    @Test(
        "Bytes that are not HTTP are refused",
        arguments: Escaped.each([
            "\u{16}\u{3}\u{1}\u{0}\u{5}hello\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ]))
    func garbage(_ argument: Escaped<String>) async throws {
        let text = argument.value
        try await stage { stage, _ in
            let port = stage.gateways[0].port
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(text)
                return client.readToEnd()
            }
            #expect(answer.map { $0.isEmpty || $0.hasPrefix("HTTP/1.1 4") } == true, "\(answer ?? "nothing")")
        }
    }
}
