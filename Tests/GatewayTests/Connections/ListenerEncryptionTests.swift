import AsyncHTTPClient
import ConnectionCore
import Encodings
import Foundation
import Gateway
import GatewayAPI
import GatewayStore
import LiveActivity
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Reactor
import RedisClient
import RedisServerProcess
import ScrapedMetrics
import TLS
import TestCertificates
import TestStore
import Testing
import TimeCore

@Suite(
    "TLS at the listener", .serialized,
    .disabled(if: StoreBackend.isCluster, "these tests are about the listener; the client's tests cover clusters"))
struct ListenerEncryptionTests {
    @Test("An activity runs over TLS to the listener and to Redis; a plain HTTP client gets no answer")
    func wholeLife() async throws {
        var redis = RedisServerOptions()
        redis.tls = TestTLS.server
        let log = CapturedLog()
        try await TestStage.run(
            redis: redis, logger: log.logger(.info),
            configure: {
                $0.tls = TestTLS.listener
                $0.api.headDeadline = .seconds(3)
            }
        ) { stage in
            #expect("\(stage.options.redis)".hasPrefix("rediss://"))
            let port = stage.gateways[0].port
            // A silent client has the time of a head.
            let begun = MonotonicTime.now()
            async let silence = DispatchThread.value { try RawClient(port: port).readToEnd() }
            let id = try await stage.started(200)
            try await stage.syncAll(0..<200, id)
            #expect(try await stage.call("update", TestStage.body(id)).accepted == 200)
            #expect(try await stage.call("end", TestStage.body(id)).accepted == 200)

            // Plain HTTP: the gateway closes the connection without an HTTP answer.
            let answer = try await DispatchThread.value {
                let plain = try RawClient(port: port)
                plain.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
                return plain.readToEnd()
            }
            #expect(answer?.contains("HTTP/1") == false)
            // TLS 1.1 is refused.
            var old = TestTLS.clientConfiguration
            old.maximumTLSVersion = .tlsv11
            old.minimumTLSVersion = .tlsv1
            await #expect(throws: (any Error).self) { try await Self.get(port, old, within: .seconds(1)) }
            var configuration = TestTLS.clientConfiguration
            configuration.maximumTLSVersion = .tlsv12
            #expect(try await Self.get(port, configuration) == 200)
            #expect(try await Self.agreedProtocol(port) == "http/1.1")

            #expect(try await silence == "")
            #expect(MonotonicTime.now() - begun > .milliseconds(2900))
            try await stage.eventually {
                let page = try await stage.metrics()
                func count(_ outcome: String) -> Double {
                    page.value("fanfare_tls_handshakes_total", ["outcome": outcome]) ?? 0
                }
                // A refused client tries again.
                return count("plain_http") == 1 && count("refused") > 0 && count("abandoned") > 0
            }
            let page = try await stage.metrics()
            let notAfter = page.value("fanfare_tls_certificate_not_after_timestamp_seconds") ?? 0
            // The certificate was made when the first test needed one.
            #expect(abs(notAfter - Date().timeIntervalSince1970 - 2 * 86_400) < 86_400)
            #expect(log.lines.count { $0.contains("plain HTTP on TLS listener") } == 1)
        }
    }

    @Test("New connections use a renewed certificate, no request fails, and an invalid pair changes nothing")
    func renewal() async throws {
        let maker = try CertificateMaker()
        let roots = (old: try maker.make("old root"), new: try maker.make("new root"))
        let old = try maker.make("old", names: "IP:127.0.0.1", issuer: roots.old)
        let new = try maker.make("new", names: "IP:127.0.0.1", issuer: roots.new, days: 40)
        let files = (certificate: "\(maker.directory)/listener.pem", key: "\(maker.directory)/listener-key.pem")
        func install(_ certificate: String, _ key: String) throws {
            for (source, target) in [(certificate, files.certificate), (key, files.key)] {
                try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: target), options: .atomic)
            }
        }
        try install(old.certificateFile, old.keyFile)
        let log = CapturedLog()
        try await TestStage.run(
            logger: log.logger(.info),
            configure: {
                $0.tls = ListenerTLSOptions(certificateFile: files.certificate, keyFile: files.key)
                $0.tls?.interval = .milliseconds(20)
            }
        ) { stage in
            let port = stage.gateways[0].port
            let trust = (
                old: TestTLS.client(trusting: roots.old.certificateFile),
                new: TestTLS.client(trusting: roots.new.certificateFile)
            )
            let isOver = Locked(false)
            // These clients keep their connections while others connect and leave.
            async let reports = withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let client = Self.client(trust.old)
                        var count = 0
                        do {
                            while !isOver.withLock({ $0 }) {
                                let status = try await Self.report(number, port, stage.tenant.sdkKey, client)
                                #expect(status == 200)
                                count += 1
                            }
                            try await client.shutdown()
                        } catch {
                            try? await client.shutdown()
                            throw error
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(try await Self.get(port, trust.old) == 200)
            // First a key of another certificate, then an expired certificate.
            try install(old.certificateFile, new.keyFile)
            func isLogged(_ words: String) -> Bool {
                log.lines.contains { $0.contains("listener certificate invalid") && $0.contains(words) }
            }
            try await stage.eventually { isLogged("its key is not") }
            #expect(try await Self.get(port, trust.old) == 200)
            let expired = try maker.make("expired", names: "IP:127.0.0.1", issuer: roots.new, days: -1)
            try install(expired.certificateFile, expired.keyFile)
            try await stage.eventually { isLogged("has expired") }
            #expect(try await Self.get(port, trust.old) == 200)
            #expect(log.lines.count { $0.contains("has expired") } == 1, "the reason is logged once")
            // A check between the replacements of the two files finds a mismatched pair.
            let mixed = log.lines.count { $0.contains("listener certificate invalid") && $0.contains("its key is not") }
            #expect((1...2).contains(mixed), "each mismatched pair is logged once")

            try install(new.certificateFile, new.keyFile)
            try await stage.eventually { (try? await Self.get(port, trust.new, within: .seconds(1))) == 200 }
            await #expect(throws: (any Error).self) { try await Self.get(port, trust.old, within: .seconds(1)) }
            isOver.withLock { $0 = true }
            #expect(try await reports > 0)
            #expect(log.lines.contains { $0.contains("listener certificate reloaded") && $0.contains("days_left") })
            let client = Self.client(trust.new)
            let page = try await ScrapedPage(Self.text(port, "/metrics", client))
            try await client.shutdown()
            // The count includes the old pair if a check came between its two files.
            #expect(page.value("fanfare_tls_certificate_reloads_total", ["result": "used"]) ?? 0 >= 1)
            // Each logged refusal is counted.
            let logged = log.lines.count { $0.contains("listener certificate invalid") }
            #expect(page.value("fanfare_tls_certificate_reloads_total", ["result": "refused"]) == Double(logged))
        }
    }

    @Test("A gateway with an unusable pair fails to start and names the file")
    func badPair() async throws {
        let maker = try CertificateMaker()
        let first = try maker.make("first", names: "IP:127.0.0.1")
        let second = try maker.make("second", names: "IP:127.0.0.1")
        for (certificate, key, words) in [
            (first.certificateFile, second.keyFile, "http.tls_key_file: \(second.keyFile): its key is not"),
            ("/nowhere.pem", first.keyFile, "http.tls_certificate_file: /nowhere.pem: No such file"),
        ] {
            do {
                try await TestStage.run(
                    configure: { $0.tls = ListenerTLSOptions(certificateFile: certificate, keyFile: key) },
                    { _ in Issue.record("it has started") })
            } catch {
                #expect("\(error)".contains(words), "\(error)")
            }
        }
    }

    // MARK: Clients

    private static func client(_ tls: TLSConfiguration) -> HTTPClient {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.tracing.tracer = nil
        return HTTPClient(configuration: configuration)
    }

    @Test("A proxy that passes TLS on names the client in a PROXY header before the handshake")
    func proxyHeader() async throws {
        try await TestStage.run(configure: {
            $0.tls = TestTLS.listener
            $0.connections.trustedProxies = TrustedProxies([AddressBlock("127.0.0.2")].compactMap { $0 })
            $0.connections.expectsProxyHeader = true
            $0.connections.maximumPerAddress = 1
        }) { stage in
            let port = stage.gateways[0].port
            let configuration = TestTLS.clientConfiguration
            func relay(_ address: String) throws -> Relay {
                try Relay(
                    to: UInt16(port), from: "127.0.0.2",
                    greeting: address.isEmpty ? "" : "PROXY TCP4 \(address) 127.0.0.1 4711 443\r\n")
            }
            let first = try relay("198.51.100.7")
            #expect(try await Self.get(Int(first.port), configuration) == 200)
            // The limit is one connection for each client. A silent connection is evicted for the next one.
            let held = try RawClient(port: Int(first.port))
            try await stage.eventually {
                guard try await Self.get(Int(first.port), configuration) == 200 else { return false }
                let page = try await stage.metrics()
                return page.value("fanfare_http_connections_closed_total", ["reason": "address_limit"]) ?? 0 > 0
            }
            let second = try relay("198.51.100.8")
            #expect(try await Self.get(Int(second.port), configuration) == 200)
            // A handshake without a PROXY header is refused.
            let silent = try relay("")
            await #expect(throws: (any Error).self) {
                try await Self.get(Int(silent.port), configuration, within: .seconds(1))
            }
            try await stage.eventually {
                let page = try await stage.metrics()
                let closed = { page.value("fanfare_http_connections_closed_total", ["reason": $0]) ?? 0 }
                return closed("address_limit") > 0 && closed("proxy_header") > 0
            }
            held.endSending()
            for relay in [first, second, silent] { relay.cut() }
        }
    }

    @Test("An evicted connection frees its descriptor at once, even if its client does not close TLS")
    func makesWay() async throws {
        try await TestStage.run(configure: {
            $0.tls = TestTLS.listener
            $0.tls?.closeTimeout = .seconds(300)
            $0.connections.maximum = 12
        }) { stage in
            let port = stage.gateways[0].port
            let clients = try (0..<8).map { _ in
                let client = Process()
                client.executableURL = URL(filePath: "/usr/bin/openssl")
                client.arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-quiet"]
                client.standardInput = Pipe()
                client.standardOutput = FileHandle.nullDevice
                client.standardError = FileHandle.nullDevice
                try client.run()
                return client
            }
            defer { for client in clients { kill(client.processIdentifier, SIGKILL) } }
            try await stage.eventually {
                try await stage.metrics().value("fanfare_tls_handshakes_total", ["outcome": "completed"]) ?? 0 >= 8
            }
            for client in clients { kill(client.processIdentifier, SIGSTOP) }
            let others = try await DispatchThread.value {
                try (0..<12).map { _ in try RawClient(port: port, from: "127.0.0.3") }
            }
            try await stage.eventually {
                let page = try await stage.metrics()
                let made = page.value("fanfare_http_connections_closed_total", ["reason": "made_way"]) ?? 0
                return made >= 8 && page.value("fanfare_http_connections", [:]) ?? 99 <= 13
            }
            for client in others { client.endSending() }
        }
    }

    private static func get(
        _ port: Int, _ tls: TLSConfiguration, within time: TimeAmount = .seconds(30)
    ) async throws -> Int {
        let client = client(tls)
        let result: Result<Int, any Error>
        do {
            let request = HTTPClientRequest(url: "https://127.0.0.1:\(port)/health/live")
            result = .success(Int(try await client.execute(request, timeout: time).status.code))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    private static func text(_ port: Int, _ path: String, _ client: HTTPClient) async throws -> String {
        let response = try await client.execute(
            HTTPClientRequest(url: "https://127.0.0.1:\(port)\(path)"), timeout: .seconds(30))
        return String(buffer: try await response.body.collect(upTo: 16 << 20))
    }

    private static func report(_ number: Int, _ port: Int, _ key: String, _ client: HTTPClient) async throws -> Int {
        var request = HTTPClientRequest(url: "https://127.0.0.1:\(port)/api/v1/sdk/device")
        request.method = .PUT
        request.headers.add(name: "X-Sdk-Key", value: key)
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(
            ByteBuffer(
                string: """
                    {"insider_id":"u\(number)","udid":"d\(number)","platform":"ios","os_version":"18.0","push_opt_in":true,
                     "gdpr_consent":true,"environment":"production"}
                    """))
        let response = try await client.execute(request, timeout: .seconds(30))
        _ = try await response.body.collect(upTo: 65_536)
        return Int(response.status.code)
    }

    /// The protocol that ALPN selects, nil if the connection fails.
    private static func agreedProtocol(_ port: Int) async throws -> String? {
        let context = try TLSContext.client(trust: .file(TestTLS.server.caFile), applicationProtocol: "http/1.1")
        let reactor = try Reactor(name: "alpn")
        defer { reactor.stop() }
        return await withCheckedContinuation { continuation in
            reactor.execute {
                let probe = Probe { continuation.resume(returning: $0) }
                guard let address = SocketAddress(numericHost: "127.0.0.1", port: UInt16(port)),
                    let connection = try? TLSConnection.connect(
                        to: address, hostName: "localhost", context: context, timeout: .seconds(30), on: reactor)
                else { return continuation.resume(returning: nil) }
                probe.connection = connection
                connection.delegate = probe
            }
        }
    }

    /// Reports the protocol of an established connection, or nil for a failed one. Confined to its reactor; retains
    /// itself until it reports.
    private final class Probe: TLSConnectionDelegate {
        var connection: TLSConnection?
        private var completion: ((String?) -> Void)?
        private var own: Probe?

        init(_ completion: @escaping (String?) -> Void) {
            self.completion = completion
            own = self
        }

        private func complete(_ agreed: String?) {
            completion?(agreed)
            completion = nil
            connection?.close(abruptly: true)
            own = nil
        }

        func connectionEstablished(_ connection: TLSConnection) { complete("http/1.1") }
        func connection(_ connection: TLSConnection, received plaintext: UnsafeRawBufferPointer) {}
        func connectionDrained(_ connection: TLSConnection) {}
        func connectionEnded(_ connection: TLSConnection, _ end: ConnectionEnd) { complete(nil) }
    }
}
