import Foundation
import TestCertificates
import Testing

@testable import GatewayConfiguration

/// A directory of its own for a test, gone with the value.
final class TemporaryFiles {
    let directory: String

    init() throws {
        var template = Array("/tmp/fanfare-configuration-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let entries = opendir(directory) {
            while let entry = readdir(entries) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(directory)/\(name)") }
            }
            closedir(entries)
        }
        rmdir(directory)
    }

    /// Writes a file and returns its path.
    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        let path = "\(directory)/\(name)"
        let file = try #require(fopen(path, "w"))
        #expect(fputs(text, file) >= 0)
        #expect(fclose(file) == 0)
        #expect(chmod(path, mode) == 0)
        return path
    }

    func key(_ name: String = "key.p8", mode: mode_t = 0o600) throws -> String {
        let maker = try CertificateMaker()
        let made = try maker.make("key").keyFile
        return try write(name, String(contentsOfFile: made, encoding: .utf8), mode: mode)
    }

    /// A service account's file of this project.
    /// - Parameter key: the PEM text of its private key; without one a new one is made.
    func serviceAccount(_ project: String = "shop-1", key: String? = nil, mode: mode_t = 0o600) throws -> String {
        let key = try key ?? CertificateMaker().makeRSAKey()
        return try write(
            "\(project).json",
            """
            {"type": "service_account", "project_id": "\(project)", "client_email": "push@\(project).example",
             "private_key": "\(key.replacing("\n", with: "\\n"))",
             "token_uri": "https://oauth2.example/token"}
            """, mode: mode)
    }

    func certificates() throws -> String {
        let made = try CertificateMaker()
        return try write(
            "ca.pem", String(contentsOfFile: made.make("ca").certificateFile, encoding: .utf8), mode: 0o644)
    }
}

extension TemporaryFiles {
    /// Examines a file of this text; for a gateway it would have to have credentials as well.
    func examine(
        _ text: String, _ environment: [String: String] = [:], for purpose: GatewayConfiguration.Purpose = .store
    ) throws -> ConfigurationReport {
        let file = try write("fanfare.yaml", text, mode: 0o644)
        return GatewayConfiguration.examine(file: file, environment: environment, for: purpose)
    }
}

extension ConfigurationReport {
    var errors: [ConfigurationProblem] { problems.filter { $0.severity == .error } }

    subscript(key: String) -> ConfigurationEntry? { entries.first { $0.key == key } }

    func problems(of key: String) -> [ConfigurationProblem] { problems.filter { $0.key == key } }

    func warnings(of key: String) -> [ConfigurationProblem] { warnings.filter { $0.key == key } }
}
