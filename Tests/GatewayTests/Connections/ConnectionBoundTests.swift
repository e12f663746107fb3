import ConnectionCore
import Encodings
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import ScrapedMetrics
import Testing
import TimeCore

@Suite("Bounds of connections", .serialized)
struct ConnectionBoundTests {
    private static let live = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    /// Connections that say nothing, from one address.
    private static func idle(_ count: Int, _ port: Int, from source: String) async throws -> [RawClient] {
        try await DispatchThread.value { try (0..<count).map { _ in try RawClient(port: port, from: source) } }
    }

    private static func ask(
        _ port: Int, from source: String, _ text: String = live
    ) async throws -> String? {
        try await DispatchThread.value {
            let client = try RawClient(port: port, from: source)
            client.send(text)
            return client.readToEnd()
        }
    }

    @Test("A flood of idle connections keeps no client out, and health answers on a listener of its own")
    func flood() async throws {
        try await TestStage.run(configure: {
            $0.connections.maximum = 120
            $0.connections.maximumPerAddress = 100
            $0.health.port = 0
        }) { stage in
            let port = stage.gateways[0].port
            let health = try #require(stage.gateways[0].healthPort)
            #expect(health != port)
            let flood = try await Self.idle(100, port, from: "127.0.0.2")
            // The longest-idle connection of that address makes room for one more; its others stay.
            #expect(try await Self.ask(port, from: "127.0.0.2")?.hasPrefix("HTTP/1.1 200") == true)
            let first = flood[0]
            #expect(try await DispatchThread.value { first.readToEnd() } == "")
            #expect(try await Self.ask(port, from: "127.0.0.3")?.hasPrefix("HTTP/1.1 200") == true)
            // With many addresses, the one with most connections loses its oldest, and a newcomer gets in.
            var others: [RawClient] = []
            for number in 10..<20 { others += try await Self.idle(10, port, from: "127.0.0.\(number)") }
            #expect(try await Self.ask(port, from: "127.0.0.4")?.hasPrefix("HTTP/1.1 200") == true)
            #expect(try await stage.ready().status == 200)
            for path in ["/health/live", "/health/ready"] {
                let answer = try await stage.send("GET", path, nil, headers: [:], port: health)
                #expect(answer.status == 200 && answer["status"]?.string == "success")
                #expect(answer.headers["x-request-id"]?.isEmpty == false)
            }
            let elsewhere = try await stage.send("GET", "/metrics", nil, headers: [:], port: health)
            #expect(elsewhere.status == 404 && elsewhere.code == "NOT_FOUND")
            let page = try await stage.metrics()
            let closed = { page.value("fanfare_http_connections_closed_total", ["reason": $0]) }
            #expect(closed("address_limit") == 1)
            #expect((closed("made_way") ?? 0) >= 80)
            #expect((page.value("fanfare_http_connections", [:]) ?? 1000) <= 121)
            #expect(page.value("fanfare_http_connections_limit", [:]) == 120)
            #expect(others.count == 100)
        }
    }

    @Test("A connection whose request is under way is not closed for a newcomer")
    func underWay() async throws {
        try await TestStage.run(configure: {
            $0.connections.maximum = 8
            $0.api.bodyDeadline = .seconds(30)
        }) { stage in
            let port = stage.gateways[0].port
            let headers = "X-Api-Key: \(stage.tenant.apiKey)\r\nContent-Type: application/json\r\n"
            let sender = try RawClient(port: port, from: "127.0.0.2")
            sender.send("POST /api/v1/live-activity/start HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: 2\r\n\r\n{")
            // The head is there when the gateway has counted the request.
            while try await stage.metrics().value("fanfare_http_requests_in_progress", [:]) ?? 0 < 2 {}
            _ = try await Self.idle(40, port, from: "127.0.0.3")
            let answer = try await DispatchThread.value {
                sender.send("}")
                return sender.read(until: "}")
            }
            #expect(answer?.contains("REQUEST_INVALID") == true)
        }
    }

    @Test("If no connection of an address rests, the new one is closed, on every listener")
    func allBusy() async throws {
        try await TestStage.run(configure: {
            $0.connections.maximumPerAddress = 3
            $0.api.bodyDeadline = .seconds(30)
        }) { stage in
            let port = stage.gateways[0].port
            let headers = "X-Api-Key: \(stage.tenant.apiKey)\r\nContent-Type: application/json\r\n"
            let senders = try await Self.idle(3, port, from: "127.0.0.2")
            for sender in senders {
                sender.send(
                    "POST /api/v1/live-activity/start HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: 2\r\n\r\n{")
            }
            // A head is there when the gateway has counted the request.
            while try await stage.metrics().value("fanfare_http_requests_in_progress", [:]) ?? 0 < 4 {}
            for _ in 0..<3 { #expect(try await Self.ask(port, from: "127.0.0.2") == "") }
            let answer = try await DispatchThread.value {
                senders[0].send("}")
                return senders[0].read(until: "}")
            }
            #expect(answer?.contains("REQUEST_INVALID") == true)
            // Between two requests it rests, so it makes room now.
            #expect(try await Self.ask(port, from: "127.0.0.2")?.hasPrefix("HTTP/1.1 200") == true)
            #expect(try await DispatchThread.value { senders[0].readToEnd() } == "")
        }
    }

    @Test("Silent connections of an address do not keep its others from the console, health and metrics")
    func everyListener() async throws {
        try await TestStage.runWithConsole(configure: {
            $0.health.port = 0
            $0.metrics.port = 0
        }) { stage in
            let gateway = stage.gateways[0]
            for (port, count) in [
                (try #require(gateway.consolePort), 128), (try #require(gateway.healthPort), 64),
                (try #require(gateway.metricsPort), 64),
            ] {
                let silent = try await Self.idle(count + 8, port, from: "127.0.0.2")
                let answer = try await Self.ask(port, from: "127.0.0.2")
                #expect(answer?.hasPrefix("HTTP/1.1 ") == true, "\(port): \(answer ?? "nothing")")
                #expect(try await DispatchThread.value { silent[0].readToEnd() } == "")
            }
        }
    }

    @Test("The first header of a trusted proxy names the client's address; headers of others do not count")
    func proxyProtocol() async throws {
        try await TestStage.run(configure: {
            $0.connections.maximumPerAddress = 2
            $0.connections.trustedProxies = TrustedProxies([AddressBlock("127.0.0.2")].compactMap { $0 })
            $0.connections.expectsProxyHeader = true
            $0.api.headDeadline = .seconds(3)
        }) { stage in
            let port = stage.gateways[0].port
            let header = "PROXY TCP4 198.51.100.7 127.0.0.1 4711 80\r\n"
            #expect(
                try await Self.ask(port, from: "127.0.0.2", header + Self.live)?.hasPrefix("HTTP/1.1 200") == true)
            #expect(try await Self.ask(port, from: "127.0.0.2", Self.live) == "")
            #expect(
                try await Self.ask(port, from: "127.0.0.3", header + Self.live)?.hasPrefix("HTTP/1.1 400") == true)
            #expect(try await Self.ask(port, from: "127.0.0.3")?.hasPrefix("HTTP/1.1 200") == true)
            // Cut anywhere, and version 2.
            let cut = try await DispatchThread.value {
                let client = try RawClient(port: port, from: "127.0.0.2")
                for byte in "\(header)GET" { client.send(String(byte)) }
                client.send(String(Self.live.dropFirst(3)))
                return client.readToEnd()
            }
            #expect(cut?.hasPrefix("HTTP/1.1 200") == true)
            // The proxy's own connection, for example for a health check.
            let own = "\r\n\r\n\0\r\nQUIT\n\u{20}\0\0\0"
            #expect(try await Self.ask(port, from: "127.0.0.2", own + Self.live)?.hasPrefix("HTTP/1.1 200") == true)
            // Two of that client that rest, and one more.
            let held = try await Self.idle(2, port, from: "127.0.0.2")
            for client in held { client.send(header + "GET") }
            #expect(
                try await Self.ask(port, from: "127.0.0.2", header + Self.live)?.hasPrefix("HTTP/1.1 200") == true)
            let other = header.replacing(".7 ", with: ".8 ")
            #expect(
                try await Self.ask(port, from: "127.0.0.2", other + Self.live)?.hasPrefix("HTTP/1.1 200") == true)
            // One that never says whose it is ends like one that never sends a head.
            #expect(try await Self.ask(port, from: "127.0.0.2", "PROXY ") == "")
            let page = try await stage.metrics()
            let closed = { page.value("fanfare_http_connections_closed_total", ["reason": $0]) }
            #expect(closed("proxy_header") == 1 && closed("address_limit") == 1)
            #expect((closed("deadline") ?? 0) >= 1)
        }
    }

    @Test("X-Forwarded-For does not count behind a proxy's header without an address")
    func unknownClient() async throws {
        try await TestStage.run(configure: {
            $0.connections.maximumPerAddress = 1
            $0.connections.trustedProxies = TrustedProxies([AddressBlock("127.0.0.2")].compactMap { $0 })
            $0.connections.expectsProxyHeader = true
        }) { stage in
            let port = stage.gateways[0].port
            let local = "\r\n\r\n\0\r\nQUIT\n\u{20}\0\0\0"
            for header in ["PROXY UNKNOWN\r\n", "PROXY UNKNOWN ffff:f::f ffff::1 1 2\r\n", local] {
                let request = """
                    \(header)POST /api/v1/sdk/sync HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.7\r
                    Content-Length: 2\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n\r\n
                    """
                let answers = try await DispatchThread.value {
                    let clients = try (0..<3).map { _ in try RawClient(port: port, from: "127.0.0.2") }
                    // With the address of the field, the second and third of these would be one too many.
                    for client in clients { client.send(request + "{") }
                    for client in clients { client.send("}") }
                    return clients.map { $0.read(until: "}") }
                }
                #expect(answers.allSatisfy { $0?.contains("REQUEST_INVALID") == true }, "\(answers)")
            }
        }
    }

    @Test("Requests under way are counted for the address that a trusted proxy passes on")
    func forwarded() async throws {
        try await TestStage.run(configure: {
            $0.connections.maximumPerAddress = 1
            $0.connections.trustedProxies = TrustedProxies([AddressBlock("127.0.0.2")].compactMap { $0 })
        }) { stage in
            let port = stage.gateways[0].port
            let request = { @Sendable (path: String, client: String) in
                """
                POST /api/v1/\(path) HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.1.1.1, \(client)\r\nContent-Length: 2\r
                X-Api-Key: \(stage.tenant.apiKey)\r\nX-Sdk-Key: \(stage.tenant.sdkKey)\r\n\r\n
                """
            }
            for path in ["live-activity/start", "sdk/sync"] {
                let first = try RawClient(port: port, from: "127.0.0.2")
                first.send(request(path, "198.51.100.7") + "{")
                var second: String?
                repeat {
                    second = try await DispatchThread.value {
                        let client = try RawClient(port: port, from: "127.0.0.2")
                        client.send(request(path, "198.51.100.7") + "{}")
                        return client.read(until: "}")
                    }
                } while second?.contains("RATE_LIMITED") == false
                #expect(second?.hasPrefix("HTTP/1.1 429") == true && second?.contains("Retry-After: 1") == true)
                let other = try await DispatchThread.value {
                    let client = try RawClient(port: port, from: "127.0.0.2")
                    client.send(request(path, "198.51.100.8") + "{}")
                    return client.read(until: "}")
                }
                #expect(other?.contains("REQUEST_INVALID") == true, "\(other ?? "nothing")")
                let again = try await DispatchThread.value {
                    first.send("}")
                    let answer = first.read(until: "}")
                    first.send(request(path, "198.51.100.7") + "{}")
                    return [answer, first.read(until: "}")]
                }
                #expect(again.allSatisfy { $0?.contains("REQUEST_INVALID") == true }, "\(again)")
            }
        }
    }
}
