import Foundation
import TestCertificates
import Testing

@testable import GatewayConfiguration

@Suite("What a gateway would not start with")
struct StartRefusalTests {
    private func environment(_ files: TemporaryFiles, _ more: [String: String] = [:]) throws -> [String: String] {
        [
            "FANFARE_APNS_KEY_FILE": try files.key(), "FANFARE_APNS_KEY_ID": "ABC1234567",
            "FANFARE_APNS_TEAM_ID": "DEF1234567", "FANFARE_APNS_BUNDLE_ID": "com.example.app",
            "FANFARE_REDIS_URL": "redis://localhost",
        ].merging(more) { $1 }
    }

    @Test(
        "is an address that this machine has not, or a name that nobody knows, of any listener",
        arguments: ["http", "health", "console", "metrics"])
    func addresses(section: String) throws {
        let files = try TemporaryFiles()
        for (host, words) in [("192.0.2.1", "the address 192.0.2.1"), ("no-such-host.invalid", "is not an address")] {
            let text = "\(section): {host: \(host), port: 8099}\n"
            let report = try files.examine(text, environment(files), for: .gateway)
            #expect(report.errors.compactMap(\.key) == ["\(section).host"], "\(report.errors)")
            #expect(report.errors.first?.message.contains(words) == true, "\(report.errors)")
            #expect(try files.examine(text, environment(files)).errors.isEmpty)
        }
        for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
            let report = try files.examine(
                "\(section): {host: \(host), port: 8099}\n", environment(files), for: .gateway)
            #expect(report.errors.isEmpty, "\(report.errors)")
        }
    }

    @Test("is a port that the user may not have; that another process has it may be the gateway that runs")
    func ports() {
        #expect(AddressChecks.fault(EACCES, "::1", 80)?.isOfPort == true)
        #expect(AddressChecks.fault(EACCES, "::1", 80)?.words.contains("port 80") == true)
        #expect(AddressChecks.fault(EADDRINUSE, "::1", 8080) == nil && AddressChecks.fault(0, "::1", 80) == nil)
        #expect(AddressChecks.fault(EAFNOSUPPORT, "::1", 8080)?.isOfPort == false)
    }

    @Test("is an identifier that cannot stand in a provider token")
    func identifiers() throws {
        let files = try TemporaryFiles()
        let odd = ["FANFARE_APNS_KEY_ID": "ABC-123456", "FANFARE_APNS_TEAM_ID": String(repeating: "A", count: 65)]
        let report = try files.examine("", environment(files, odd), for: .gateway)
        #expect(report.errors.compactMap(\.key) == ["apns.key_id", "apns.team_id"])
    }

    @Test("is a token endpoint with a query, in the configuration or in the service account's file")
    func tokenEndpoints() throws {
        let files = try TemporaryFiles()
        let account = try files.serviceAccount()
        let named = try files.examine("fcm: {service_account_file: \(account), token_url: \"https://t/t?x=1\"}\n")
        #expect(named.errors.compactMap(\.key) == ["fcm.token_url"])
        let text = try String(contentsOfFile: account, encoding: .utf8)
        let other = try files.write(
            "other.json", text.replacing("https://oauth2.example/token", with: "https://t/t?x=1"))
        let inside = try files.examine("fcm: {service_account_file: \(other)}\n")
        #expect(inside.errors.compactMap(\.key) == ["fcm.service_account_file"])
        #expect(inside.errors.first?.message.contains("\"token_uri\"") == true, "\(inside.errors)")
    }

    @Test("is a damaged certificate among those that are trusted, or behind the listener's")
    func damagedCertificates() throws {
        let files = try TemporaryFiles()
        let good = try String(contentsOfFile: files.certificates(), encoding: .utf8)
        let block = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let damaged = try files.write("damaged.pem", good + block)
        for key in ["apns.ca_file", "fcm.ca_file", "events.ca_file"] {
            let (section, name) = (key.prefix { $0 != "." }, "ca_file")
            let report = try files.examine("\(section): {\(name): \(damaged)}\n")
            #expect(report.errors.compactMap(\.key) == [key])
            #expect(report.errors.first?.message.contains("is damaged") == true)
            let whole = try files.write("whole.pem", "of some authority\n" + good + good)
            #expect(try files.examine("\(section): {\(name): \(whole)}\n").errors.isEmpty)
        }
        let maker = try CertificateMaker()
        let pair = try maker.make("leaf", days: 90)
        let chain = try files.write("chain.pem", String(contentsOfFile: pair.certificateFile, encoding: .utf8) + block)
        let report = try files.examine("http: {tls_certificate_file: \(chain), tls_key_file: \(pair.keyFile)}\n")
        #expect(report.errors.compactMap(\.key) == ["http.tls_certificate_file"])
        #expect(report.errors.first?.message.contains("after the first") == true)
    }

    private func ofData(_ directory: String, _ files: TemporaryFiles) throws -> [ConfigurationProblem] {
        let found = try files.examine(
            "redis.data_dir: \(directory)\n", environment(files, ["FANFARE_REDIS_URL": ""]), for: .gateway)
        #expect(found.errors.allSatisfy { $0.key == "redis.data_dir" }, "\(found.errors)")
        return found.errors
    }

    @Test("is a folder of the private store that cannot be made")
    func unmadeFolder() throws {
        let files = try TemporaryFiles()
        let file = try files.key("file")
        #expect(try ofData("\(file)/data", files).first?.message.contains("cannot be created") == true)
        #expect(try ofData("\(files.directory)/a/b", files).isEmpty)
        #expect(try ofData("a/b", files).isEmpty)
    }

    @Test(
        "is a folder with what somebody else has put there",
        .enabled(if: geteuid() == 0, "only root gives files away; whose files are trusted is tested by itself"))
    func othersFiles() throws {
        let files = try TemporaryFiles()
        let foreign = try files.write("dump.rdb", "")
        #expect(try ofData(files.directory, files).isEmpty)
        try #require(chown(foreign, 54_321, 54_321) == 0)
        #expect(try ofData(files.directory, files).first?.message.contains("belongs to another user") == true)
    }

    @Test("is a sealing key of its own that is too short, beside whichever store")
    func sealingKey() throws {
        let files = try TemporaryFiles()
        _ = try files.write("webhooks.key", "short")
        #expect(try ofData(files.directory, files).first?.message.contains("fewer than 32 bytes") == true)
        let beside = try files.examine("redis.data_dir: \(files.directory)\n", environment(files), for: .gateway)
        #expect(beside.errors.compactMap(\.key) == ["redis.data_dir"])
        _ = try files.write("webhooks.key", String(repeating: "k", count: 32), mode: 0o644)
        #expect(try ofData(files.directory, files).isEmpty)
        let named = try files.write("named.key", String(repeating: "k", count: 32))
        _ = try files.write("webhooks.key", "short")
        let other = try files.examine(
            "redis.data_dir: \(files.directory)\nevents.sealing_key_file: \(named)\n", environment(files), for: .gateway
        )
        #expect(other.errors.isEmpty, "\(other.errors)")
    }
}
