import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import MockAPNs
import PushClient
import RedisClient
import TestSupport
import Testing
import TimeCore

@Suite("Uploads of segments", .serialized)
struct SegmentUploadTests {
    private static func head(_ stage: TestStage, _ more: String) -> String {
        "PUT /api/v1/segments/vip HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(stage.tenant.apiKey)\r\nContent-Type: text/csv\r\n"
            + more + "\r\n"
    }

    private static func chunk(_ text: String) -> String { String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }

    /// Lines of about 30 bytes.
    private static func lines(_ count: Int) -> String {
        (0..<count).map { "customer-with-a-long-name-\($0)\n" }.joined()
    }

    @Test("A list beyond the limit of bodies is accepted whole")
    func large() async throws {
        try await TestStage.run(configure: { $0.api.maximumBodyBytes = 30_000 }) { stage in
            let text = Self.lines(5000)
            let answer = try await stage.segment("PUT", "vip", text)
            #expect(answer.status == 200 && answer["users"]?.int64 == 5000, "\(answer.text)")
            let more = try await stage.segment("POST", "vip/users", text + "one more\n")
            #expect(more["added_users"]?.int64 == 1 && more["users"]?.int64 == 5001, "\(more.text)")
            let less = try await stage.segment("DELETE", "vip/users", text)
            #expect(less["removed_users"]?.int64 == 5000 && less["users"]?.int64 == 1, "\(less.text)")
            #expect(try await stage.keys("*:h").isEmpty)
        }
    }

    @Test("A broken line at the end of a large list changes nothing and leaves nothing")
    func brokenLate() async throws {
        try await TestStage.run { stage in
            _ = try await stage.segment("PUT", "vip", "a\n")
            for (method, path) in [("PUT", "vip"), ("POST", "vip/users"), ("DELETE", "vip/users")] {
                let answer = try await stage.segment(method, path, Self.lines(20_000) + "a\nb,c\n")
                #expect(answer.code == "VALIDATION_FAILED", "\(answer.text)")
                #expect(answer["error"]?.string?.hasPrefix("line 20002: ") == true, "\(answer.text)")
                #expect(try await stage.users("vip") == 1)
                #expect(try await stage.keys("*:h").isEmpty)
            }
        }
    }

    @Test("A client that sends a whole large list before it reads gets the error of an early line")
    func brokenEarly() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let body = "a\n,b\n" + Self.lines(200_000)
            let head = Self.head(stage, "Content-Length: \(body.utf8.count)\r\n")
            let answers = try await DispatchThread.value { () -> [String?] in
                let client = try RawClient(port: port)
                client.send(head + body)
                let answer = client.read(until: "changed\",\"code\":\"VALIDATION_FAILED\"}")
                // And the connection goes on.
                client.send(head + "b\n" + body.dropFirst(2))
                return [answer, client.read(until: "\"code\":\"VALIDATION_FAILED\"}")]
            }
            for answer in answers { #expect(answer?.contains("line 2: ") == true, "\(answer ?? "nothing")") }
        }
    }

    @Test(
        "A client that disconnects within an upload changes nothing",
        arguments: Escaped.each(["Content-Length: 9000000\r\n", "Transfer-Encoding: chunked\r\n"]))
    func disconnect(_ argument: Escaped<String>) async throws {
        let header = argument.value
        try await TestStage.run { stage in
            _ = try await stage.segment("PUT", "vip", "a\n")
            let port = stage.gateways[0].port
            let head = Self.head(stage, header)
            let lines = Self.lines(60_000)
            let body = header.hasPrefix("T") ? Self.chunk(lines) : lines
            let answer = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(head)
                client.send(body)
                client.endSending()
                return client.readToEnd()
            }
            #expect(answer?.contains("200 OK") == false)
            try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(head)
                client.send(body)
            }
            // The partial upload is dropped once the gateway sees the end.
            let end = MonotonicTime.now() + .seconds(60)
            while try await !stage.keys("*:h").isEmpty, MonotonicTime.now() < end {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await stage.keys("*:h").isEmpty)
            #expect(try await stage.users("vip") == 1)
        }
    }

    @Test("A slow upload is accepted while bytes arrive; a silent one is answered 408")
    func dribble() async throws {
        try await TestStage.run(configure: {
            $0.api.bodyDeadline = .milliseconds(200)
            $0.api.uploadSilence = .seconds(1)
        }) { stage in
            let port = stage.gateways[0].port
            let head = Self.head(stage, "Transfer-Encoding: chunked\r\nConnection: close\r\n")
            let whole = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(head)
                // Longer than the connection would live if its bytes were not counted.
                for number in 0..<115 {
                    client.send(Self.chunk("user-\(number)\n"))
                    DispatchThread.pause(milliseconds: 100)
                }
                client.send("0\r\n\r\n")
                return client.readToEnd()
            }
            #expect(whole?.contains("\"users\":115") == true, "\(whole ?? "nothing")")
            let silent = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(head)
                client.send(Self.chunk("user-1\n"))
                return client.readToEnd()
            }
            #expect(silent?.contains("408 Request Timeout") == true, "\(silent ?? "nothing")")
            #expect(silent?.contains("REQUEST_TIMEOUT") == true)
            #expect(try await stage.users("vip") == 115)
        }
    }

    @Test("A client that expects 100-continue gets it, or a refusal without its body")
    func expectation() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let head = Self.head(stage, "Content-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n")
            let (asked, answer) = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(head)
                let asked = client.read(until: "\r\n\r\n")
                client.send("a\nb\n")
                return (asked, client.readToEnd())
            }
            #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(answer?.hasPrefix("HTTP/1.1 200 OK\r\n") == true && answer?.contains("\"users\":2") == true)
            let wrong = head.split(separator: stage.tenant.apiKey, omittingEmptySubsequences: false).joined(
                separator: "x")
            let refusal = try await DispatchThread.value {
                let client = try RawClient(port: port)
                client.send(wrong)
                return client.read(until: "\r\n\r\n")
            }
            #expect(refusal?.hasPrefix("HTTP/1.1 401 ") == true, "\(refusal ?? "nothing")")
        }
    }

    @Test("The upload that ends last of two at once is the segment, whole")
    func twoUploads() async throws {
        try await TestStage.run { stage in
            let port = stage.gateways[0].port
            let head = Self.head(stage, "Transfer-Encoding: chunked\r\nConnection: close\r\n")
            let apiKey = stage.tenant.apiKey
            let (first, second) = try await DispatchThread.value {
                let slow = try RawClient(port: port)
                slow.send(head)
                slow.send(Self.chunk("a\nb\nc\n"))
                let quick = try RawClient(port: port)
                quick.send(head)
                quick.send(Self.chunk("d\ne\n") + "0\r\n\r\n")
                let second = quick.readToEnd()
                let count = try RawClient(port: port)
                count.send(
                    "GET /api/v1/segments/vip HTTP/1.1\r\nHost: x\r\nX-Api-Key: \(apiKey)\r\nConnection: close\r\n\r\n")
                let between = count.readToEnd()
                slow.send(Self.chunk("f\n") + "0\r\n\r\n")
                return (slow.readToEnd(), [second, between])
            }
            #expect(first?.contains("\"users\":4") == true, "\(first ?? "nothing")")
            #expect(second.allSatisfy { $0?.contains("\"users\":2") == true }, "\(second)")
            #expect(try await stage.users("vip") == 4)
        }
    }

    @Test("Uploads beyond the limit are refused, and change nothing")
    func tooMany() async throws {
        try await TestStage.run(configure: { $0.api.maximumUploads = 1 }) { stage in
            let port = stage.gateways[0].port
            let head = Self.head(
                stage, "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\nConnection: close\r\n")
            let client = try RawClient(port: port)
            // Once it has been asked for its body it is under way.
            let asked = try await DispatchThread.value { () -> String? in
                client.send(head)
                return client.read(until: "\r\n\r\n")
            }
            #expect(asked?.contains("100 Continue") == true)
            let refused = try await stage.segment("PUT", "vip", "x\n")
            #expect(refused.status == 503 && refused.code == "OVERLOADED")
            #expect(refused.headers["retry-after"] != nil)
            let answer = try await DispatchThread.value { () -> String? in
                client.send(Self.chunk("a\n") + "0\r\n\r\n")
                return client.readToEnd()
            }
            #expect(answer?.contains("200 OK") == true, "\(answer ?? "nothing")")
            #expect(try await stage.segment("PUT", "vip", "x\ny\n")["users"]?.int64 == 2)
        }
    }
}
