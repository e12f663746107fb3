import Foundation
import Glibc

@testable import FanfareDevice

/// A gateway with its Redis and a mock of APNs, on ports of their own.
final class RealGateway: Sendable {
    struct Tenant: Decodable, Sendable {
        let apiKey: String
        let sdkKey: String
        let identitySecret: String

        private enum CodingKeys: String, CodingKey {
            case apiKey = "api_key"
            case sdkKey = "sdk_key"
            case identitySecret = "identity_secret"
        }
    }

    let folder: URL
    let url: URL
    let tenant: Tenant
    let redis: Child
    private let mock: Child
    private let gateway: Child
    private let control: Int
    private let environment: [String: String]
    private static let transport = URLSessionTransport()
    /// The executable that `FANFARE_BINARY` names, else the one that was built beside the tests.
    private static let binary =
        ProcessInfo.processInfo.environment["FANFARE_BINARY"]
        ?? URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("fanfare").path

    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: binary) }

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("fanfare-device-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = folder.appendingPathComponent("redis.sock").path
        redis = try Child(
            ["redis-server", "--port", "0", "--unixsocket", socket, "--appendonly", "yes", "--save", ""], in: folder,
            log: "redis.log")
        mock = try Child(
            [RealGateway.binary, "mock-apns", "--port", "0", "--out-dir", "apns", "--control-port", "0"],
            in: folder, log: "mock.log")
        let variables = folder.appendingPathComponent("apns/apns.env")
        let mock = mock
        try await RealGateway.wait("the mock") {
            FileManager.default.fileExists(atPath: variables.path) && mock.text.contains("Ctrl-C")
        }
        control = try RealGateway.controlPort(in: mock.text)
        let port = freePort()
        var environment = [
            "FANFARE_REDIS_URL": "unix://\(socket)", "FANFARE_HTTP_PORT": "\(port)",
            "FANFARE_TOPICS_INTERVAL": "5s",
            // A busy machine may leave Redis without a core for seconds.
            "FANFARE_REDIS_COMMAND_TIMEOUT": "30s",
        ]
        for line in try String(contentsOf: variables, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            environment[parts[0]] = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
        }
        self.environment = environment
        gateway = try Child([RealGateway.binary, "serve"], in: folder, environment: environment, log: "gateway.log")
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw Failure("no address") }
        self.url = url
        try await RealGateway.wait("the gateway") {
            (try? await RealGateway.send("GET", url.appendingPathComponent("health/ready")))?.status == 200
        }
        let made = try Child.output(
            [RealGateway.binary, "tenant", "create", "shop", "--json"], in: folder, environment: environment)
        tenant = try JSONDecoder().decode(Tenant.self, from: Data(made.utf8))
    }

    func end() {
        gateway.end()
        mock.end()
        redis.end()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func controlPort(in text: String) throws -> Int {
        let line = text.split(separator: "\n").first { $0.contains("control port") }
        guard let port = line?.split(separator: ":").last.flatMap({ Int($0) }) else { throw Failure("no control port") }
        return port
    }

    func command(_ arguments: [String]) throws {
        _ = try Child.output([RealGateway.binary] + arguments, in: folder, environment: environment)
    }

    /// Waits until something holds, a minute at most.
    static func wait(_ what: String, seconds: Double = 60, until holds: () async throws -> Bool) async throws {
        let deadline = Date().addingTimeInterval(seconds)
        while try await !holds() {
            guard Date() < deadline else { throw Failure("waited too long for \(what)") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: Requests

    static func send(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: String? = nil
    ) async throws -> (status: Int, body: Data) {
        var headers = headers
        if body != nil { headers["Content-Type"] = "application/json" }
        let call = HTTPCall(url: url, method: method, headers: headers, body: body.map { Data($0.utf8) }, timeout: 40)
        guard case .answered(let status, _, let data) = await transport.send(call) else {
            throw Failure("\(method) \(url.path) had no answer")
        }
        return (status, data)
    }

    /// A call with the customer's key, or an app's when it has an identity.
    func call(
        _ method: String, _ path: String, _ body: String? = nil, as identity: DeviceIdentity? = nil
    ) async throws -> [String: Any] {
        guard let url = URL(string: url.absoluteString + path) else { throw Failure(path) }
        var headers = ["X-Api-Key": tenant.apiKey]
        if let identity { headers = ["X-Sdk-Key": tenant.sdkKey, "X-Identity-Signature": signature(identity)] }
        let reply = try await RealGateway.send(method, url, headers: headers, body: body)
        guard (200..<300).contains(reply.status) else {
            throw Failure("\(method) \(path): \(reply.status) \(String(decoding: reply.body, as: UTF8.self))")
        }
        return try JSONSerialization.jsonObject(with: reply.body) as? [String: Any] ?? [:]
    }

    /// Signs for the user of a device, as the app's server does.
    func signature(_ identity: DeviceIdentity) -> String {
        HMAC.sha256(Array(identity.insiderID.utf8), key: Array(tenant.identitySecret.utf8))
    }

    struct Push: Sendable {
        let token: String
        let event: String
    }

    /// The pushes to devices that the mock has accepted, from a line of its ledger on.
    func pushes(since first: Int = 0) async throws -> [Push] {
        guard let url = URL(string: "http://127.0.0.1:\(control)/mock/ledger?since=\(first)") else { return [] }
        let lines = try await RealGateway.send("GET", url).body.split(separator: UInt8(ascii: "\n"))
        return lines.compactMap { line in
            guard let push = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                let path = push["path"] as? String, let payload = push["payload"] as? String,
                let data = Data(base64Encoded: payload),
                let aps = (try? JSONSerialization.jsonObject(with: data) as? [String: Any])?["aps"] as? [String: Any]
            else { return nil }
            return Push(token: String(path.split(separator: "/").last ?? ""), event: aps["event"] as? String ?? "")
        }
    }
}
