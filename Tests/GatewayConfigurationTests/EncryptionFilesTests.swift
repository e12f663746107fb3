import Glibc
import TestCertificates
import Testing

@testable import GatewayConfiguration

@Suite("Files of TLS")
struct EncryptionFilesTests {
    private static let pairs = [
        (certificate: "http.tls_certificate_file", key: "http.tls_key_file"),
        (certificate: "redis.certificate_file", key: "redis.key_file"),
    ]

    private static func environment(_ values: [String: String]) -> [String: String] {
        var environment = ["FANFARE_REDIS_URL": "rediss://ann:passw0rd@cache"]
        for (key, value) in values { environment[SettingsReader.variable(of: key)] = value }
        return environment
    }

    private static func identity(_ maker: CertificateMaker, days: Int = 90) throws -> (certificate: String, key: String)
    {
        let identity = try maker.make("leaf\(days)", names: "DNS:localhost", issuer: try maker.make("root"), days: days)
        chmod(identity.keyFile, 0o600)
        return (identity.certificateFile, identity.keyFile)
    }

    @Test("are named in the file, and in the environment, which stands over it")
    func bothSources() throws {
        let files = try TemporaryFiles()
        let maker = try CertificateMaker()
        let pair = try Self.identity(maker)
        let root = "\(maker.directory)/root.pem"
        let text = """
            http: {tls_certificate_file: "\(pair.certificate)", tls_key_file: "\(pair.key)"}
            redis: {ca_file: "\(root)", certificate_file: "\(pair.certificate)", key_file: "\(pair.key)", url: "rediss://u:secret@a,rediss://b"}
            """
        let report = try files.examine(text)
        let configuration = try report.checked()
        #expect(configuration.http.tlsCertificateFile == pair.certificate && configuration.http.tlsKeyFile == pair.key)
        #expect(configuration.redis.caFile == root && configuration.redis.url == "rediss://u:secret@a,rediss://b")
        #expect(configuration.redis.certificateFile == pair.certificate && configuration.redis.keyFile == pair.key)
        #expect(!report.listing.contains("secret"))
        #expect(report.warnings.map(\.key) == ["apns.key_file"])
        let other = try Self.identity(try CertificateMaker())
        let over = try files.examine(
            text,
            Self.environment([
                "http.tls_certificate_file": other.certificate, "http.tls_key_file": other.key,
                "redis.certificate_file": other.certificate, "redis.key_file": other.key,
                "redis.ca_file": pair.certificate,
            ]))
        // The directory of the other files is gone, so each of them is reported.
        for key in ["http.tls_certificate_file", "http.tls_key_file", "redis.certificate_file", "redis.key_file"] {
            #expect(over[key]?.source == .environment(variable: SettingsReader.variable(of: key)))
            #expect(over.problems(of: key).map(\.message).first?.contains("does not exist") == true, "\(key)")
        }
        #expect(over["redis.ca_file"]?.value == pair.certificate && over.problems(of: "redis.ca_file").isEmpty)
    }

    @Test("that cannot be used are errors that say which and why", arguments: pairs)
    func faults(_ keys: (certificate: String, key: String)) throws {
        let files = try TemporaryFiles()
        let maker = try CertificateMaker()
        let pair = try Self.identity(maker)
        func problems(_ certificate: String?, _ key: String?) throws -> [ConfigurationProblem] {
            var values: [String: String] = [:]
            values[keys.certificate] = certificate
            values[keys.key] = key
            let report = try files.examine("", Self.environment(values))
            return report.problems(of: keys.certificate) + report.problems(of: keys.key)
        }
        #expect(try problems(pair.certificate, pair.key).isEmpty)
        #expect(try problems(pair.certificate, nil).map(\.key) == [keys.key])
        #expect(try problems(nil, pair.key).map(\.key) == [keys.certificate])
        #expect(try problems("\(maker.directory)/none", pair.key).first?.message.contains("does not exist") == true)
        #expect(try problems(pair.key, pair.key).first?.message.contains("no PEM block of certificates") == true)
        #expect(try problems(pair.certificate, pair.certificate).first?.message.contains("a private key") == true)
        let another = try maker.make("another")
        chmod(another.keyFile, 0o600)
        let mixed = try problems(pair.certificate, another.keyFile)
        #expect(mixed.map(\.key) == [keys.key] && mixed[0].message.contains("its key is not the certificate's"))
        let broken = try files.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        #expect(try problems(broken, pair.key).first?.message.contains("damaged") == true)
        chmod(pair.key, 0o644)
        #expect(try problems(pair.certificate, pair.key).map(\.advice) == ["Run: chmod 600 \(pair.key)"])
    }

    @Test("that have expired, or are about to, are told of")
    func validity() throws {
        let files = try TemporaryFiles()
        let maker = try CertificateMaker()
        func problems(_ days: Int) throws -> [ConfigurationProblem] {
            let pair = try Self.identity(maker, days: days)
            let values = ["http.tls_certificate_file": pair.certificate, "http.tls_key_file": pair.key]
            return try files.examine("", Self.environment(values)).problems(of: "http.tls_certificate_file")
        }
        #expect(try problems(90).isEmpty && problems(15).isEmpty)
        let near = try problems(10)
        // A second may pass between the issue of the certificate and its check.
        let words = near.first?.message ?? ""
        #expect(near.map(\.severity) == [.warning])
        #expect(words.contains("expires in 9 days") || words.contains("expires in 10 days"), "\(words)")
        let past = try problems(-1)
        #expect(past.map(\.severity) == [.error] && past[0].message.contains("has expired"))
    }

    @Test("for a Redis without TLS are told of: nothing is done with them")
    func unused() throws {
        let files = try TemporaryFiles()
        let maker = try CertificateMaker()
        let root = try maker.make("root").certificateFile
        let report = try files.examine(
            "", ["FANFARE_REDIS_URL": "redis://cache", "FANFARE_REDIS_CA_FILE": root])
        #expect(report.errors.isEmpty)
        #expect(report.warnings(of: "redis.ca_file").first?.message.contains("does not start with rediss://") == true)
        let broken = try files.examine(
            "", ["FANFARE_REDIS_URL": "rediss://u:p/ss@cache:1", "FANFARE_REDIS_CA_FILE": root])
        #expect(broken.errors.compactMap(\.key) == ["redis.url"])
        #expect(broken.warnings(of: "redis.ca_file").isEmpty)
        #expect(try files.examine("", Self.environment(["redis.ca_file": root])).problems(of: "redis.ca_file").isEmpty)
    }
}
