import Foundation
import TestCertificates
import Testing

@Suite("fanfare doctor", .serialized)
struct DoctorCommandTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let subject: String
            let severity: String
            let text: String
            let remedy: String?
        }

        let healthy: Bool
        let findings: [Finding]

        func first(_ subject: String) -> Finding? { findings.first { $0.subject == subject } }
    }

    private func examine(
        _ commands: CommandLine, _ environment: [String: String]
    ) async throws -> (report: Report, status: Int32) {
        let result = try await commands.run("doctor", "--json", environment: environment)
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        #expect(report.healthy == (result.status == 0), "\(result.errors)")
        #expect(report.findings.allSatisfy { $0.severity == "good" || $0.severity == "unknown" || $0.remedy != nil })
        return (report, result.status)
    }

    @Test("Where all is well it says so of each thing, beside a gateway that runs; a provider that is gone is an error")
    func well() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (serve, _, _) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        let (report, status) = try await examine(commands, environment)
        #expect(status == 0)
        for subject in [
            "configuration", "redis", "redis.layout", "redis.persistence", "redis.eviction", "redis.clock",
            "redis.rights", "secrets", "provider",
        ] {
            let finding = report.first(subject)
            #expect(finding?.severity == "good", "\(subject): \(finding?.text ?? "not there")")
        }
        let text = try await commands.run("doctor", environment: environment)
        let line = "ok      redis.persistence: passed\n"
        #expect(text.status == 0 && text.output.contains(line), "\(text.output)")
        mock.process.terminate()
        _ = try await mock.ended()
        let (alone, failed) = try await examine(commands, environment)
        #expect(failed == 1 && alone.first("provider")?.severity == "error")
        #expect(alone.first("provider")?.text.contains("cannot be reached") == true, "\(alone.findings)")
        #expect(alone.first("redis")?.severity == "good")
    }

    @Test("What is wrong with Redis and with the key is an error with a remedy, each by itself")
    func wrong() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (redis, address) = try await commands.startRedis()
        defer { redis.end() }
        environment.merge(address) { $1 }
        // Another key than the provider knows by this name.
        let other = commands.folder.appending(path: "other.p8")
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", other.path,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        environment["FANFARE_APNS_KEY_FILE"] = other.path
        let (report, status) = try await examine(commands, environment)
        #expect(status == 1)
        let persistence = try #require(report.first("redis.persistence"))
        #expect(persistence.severity == "error" && persistence.remedy?.contains("appendonly yes") == true)
        // A setting that only CONFIG SET made is gone after a restart.
        let lasting = "put \"appendonly yes\" and \"appendfsync always\" into redis.conf"
        #expect(persistence.remedy?.contains(lasting) == true, "\(persistence)")
        let provider = try #require(report.first("provider"))
        #expect(provider.severity == "error" && provider.text.contains("refuses the credential: InvalidProviderToken"))
        #expect(report.first("redis.version")?.severity == "good")
        redis.end()
        let (away, _) = try await examine(commands, environment)
        #expect(away.first("redis")?.severity == "error" && away.first("redis.persistence") == nil)
        #expect(away.first("secrets")?.severity == "unknown", "\(away.findings)")
    }

    @Test("The doctor advises by cause within seconds")
    func causes() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (redis, address) = try await commands.startRedis(arguments: ["--requirepass", "secret"])
        defer { redis.end() }
        let silent = try ListeningSocket(answering: nil)
        let web = try ListeningSocket(answering: "HTTP/1.1 400 Bad Request\r\n\r\n")
        defer { [silent, web].forEach { $0.close() } }
        for (url, words) in [
            (address["FANFARE_REDIS_URL"] ?? "", "set user and password in redis.url"),
            ("redis://127.0.0.1:9", "no program listens on that port"),
            ("unix:///tmp/no-such-socket", "the file does not exist"),
            ("redis://127.0.0.1:\(web.port)", "another program answers there"),
            ("redis://127.0.0.1:\(silent.port)", "whether Redis hangs"),
        ] {
            let began = ContinuousClock.now
            let (report, _) = try await examine(commands, environment.merging(["FANFARE_REDIS_URL": url]) { $1 })
            #expect(ContinuousClock.now - began < .seconds(8), "\(url)")
            let finding = try #require(report.first("redis"))
            #expect(finding.severity == "error" && finding.remedy?.contains(words) == true, "\(url): \(finding)")
        }
        // The mock's authority is no longer named.
        for (variable, value, words) in [
            ("FANFARE_APNS_CA_FILE", "", "apns.ca_file"),
            ("FANFARE_APNS_URL", "https://127.0.0.1:9", "no program listens on that port"),
            ("FANFARE_APNS_URL", "https://127.0.0.1:\(silent.port)", "in the firewall"),
        ] {
            let began = ContinuousClock.now
            let (report, _) = try await examine(commands, environment.merging([variable: value]) { $1 })
            #expect(ContinuousClock.now - began < .seconds(8), "\(variable)=\(value)")
            let finding = try #require(report.findings.first { $0.subject == "provider" && $0.severity == "error" })
            #expect(finding.remedy?.contains(words) == true, "\(variable)=\(value): \(finding)")
        }
    }

    @Test("The doctor distinguishes the causes of a failed TLS handshake, and a proxy from a provider")
    func handshakes() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, given) = try await commands.startMock()
        defer { mock.terminate() }
        let maker = try CertificateMaker()
        let authority = try maker.make("authority")
        let names = "DNS:localhost,IP:127.0.0.1"
        let good = try maker.make("good", names: names, issuer: authority)
        let expired = try maker.make("expired", names: names, issuer: authority, days: -1)
        let other = try maker.make("other", names: "DNS:other.example", issuer: authority)
        let port = try ListeningSocket.freePort()
        let (redis, address) = try await commands.startRedis(arguments: [
            "--tls-port", "\(port)", "--tls-ca-cert-file", authority.certificateFile, "--tls-auth-clients", "no",
            "--tls-cert-file", good.certificateFile, "--tls-key-file", good.keyFile,
        ])
        defer { redis.end() }
        func remedy(_ subject: String, _ changes: [String: String]) async throws -> String {
            let environment = given.merging(address) { $1 }.merging(changes) { $1 }
            let (report, _) = try await examine(commands, environment)
            let finding = report.findings.first { $0.subject == subject && $0.severity == "error" }
            return finding?.remedy ?? "no error"
        }
        func serve(_ identity: CertificateMaker.Identity, requiringClients: Bool = false) throws {
            _ = try Program.run(
                "/usr/bin/env", "redis-cli", "-s", commands.folder.appending(path: "redis.sock").path, "CONFIG", "SET",
                "tls-auth-clients", requiringClients ? "yes" : "no", "tls-cert-file", identity.certificateFile,
                "tls-key-file", identity.keyFile)
        }
        let encrypted = [
            "FANFARE_REDIS_URL": "rediss://127.0.0.1:\(port)", "FANFARE_REDIS_CA_FILE": authority.certificateFile,
        ]
        let provider = [
            "FANFARE_APNS_URL": "https://127.0.0.1:\(port)", "FANFARE_APNS_CA_FILE": authority.certificateFile,
        ]
        try serve(expired)
        #expect(try await remedy("redis", encrypted).hasPrefix("renew the certificate of Redis"))
        #expect(try await remedy("provider", provider).hasPrefix("correct the clock"))
        try serve(other)
        #expect(try await remedy("redis", encrypted).hasPrefix("use a host name from the certificate in redis.url"))
        #expect(try await remedy("provider", provider).contains("from the certificate in the provider's URL"))
        try serve(good, requiringClients: true)
        #expect(try await remedy("redis", encrypted).hasPrefix("set redis.certificate_file and redis.key_file"))
        #expect(try await remedy("provider", ["FANFARE_APNS_PROXY": "http://127.0.0.1:9"]).contains("apns.proxy"))
        let proxy = try ListeningSocket(answering: "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
        defer { proxy.close() }
        let refused = try await remedy("provider", ["FANFARE_APNS_PROXY": "http://127.0.0.1:\(proxy.port)"])
        #expect(refused.hasPrefix("correct address, user and password in apns.proxy"))
    }

    @Test("Secrets that cannot be read are no good end, although nothing else is wrong")
    func unreadSecrets() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, given) = try await commands.startMock()
        defer { mock.terminate() }
        let (redis, address) = try await commands.startRedis(
            arguments: ["--appendonly", "yes", "--appendfsync", "always"])
        defer { redis.end() }
        let environment = given.merging(address) { $1 }
        #expect(try await examine(commands, environment).status == 0)
        let socket = commands.folder.appending(path: "redis.sock").path
        _ = try Program.run(
            "/usr/bin/env", "redis-cli", "-s", socket, "MSET", "fanfare:layout", "3", "fanfare:tenants", "none")
        let (report, status) = try await examine(commands, environment)
        #expect(status == 1 && report.first("secrets")?.severity == "unknown", "\(report.findings)")
        #expect(!report.findings.contains { $0.severity == "error" }, "\(report.findings)")
    }

    @Test("Where the redis-server of its own does not start neither Redis, secrets nor providers are seen")
    func noServer() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        // A redis-server that ends as soon as it is started.
        let server = commands.folder.appending(path: "no-server")
        try "#!/bin/sh\nexit 1\n".write(to: server, atomically: true, encoding: .utf8)
        #expect(chmod(server.path, 0o700) == 0)
        let (report, status) = try await examine(
            commands, environment.merging(["FANFARE_REDIS_SERVER_PATH": server.path]) { $1 })
        #expect(status == 1 && report.first("gateway")?.severity == "error", "\(report.findings)")
        for subject in ["redis", "secrets", "provider"] { #expect(report.first(subject)?.severity == "unknown") }
    }

    @Test("Where there is no store yet none is made, and a configuration that cannot be used is told of by its keys")
    func nothingThere() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (report, status) = try await examine(commands, environment)
        #expect(status == 0, "\(report.findings)")
        #expect(report.first("redis")?.text.contains("data has no private store yet") == true)
        for subject in ["redis", "secrets", "provider", "redis.version", "redis.persistence"] {
            #expect(report.first(subject)?.severity == "good", "\(subject)")
        }
        #expect(!FileManager.default.fileExists(atPath: commands.folder.appending(path: "data").path))
        var broken = environment
        broken["FANFARE_HTTP_PORT"] = "many"
        let (told, failed) = try await examine(commands, broken)
        #expect(failed == 1 && told.first("http.port")?.severity == "error")
        // Without credentials, without a redis-server, or with nothing at all.
        for missing in [broken, ["FANFARE_REDIS_SERVER_PATH": "/no/redis-server"], [:]] {
            let (blind, status) = try await examine(commands, missing)
            #expect(status == 1)
            for subject in ["redis", "secrets", "provider"] {
                let finding = blind.first(subject)
                #expect(finding?.severity == "unknown" && finding?.text.contains("not checked") == true)
            }
            let text = try await commands.run("doctor", environment: missing)
            #expect(text.status == 1 && text.output.contains("-       provider: not checked"))
        }
    }
}
