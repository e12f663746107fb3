import Testing

@testable import GatewayConfiguration

@Suite("The shipped file")
struct ShippedFileTests {
    private static func text() throws -> String {
        var components = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        components.removeLast(3)
        let path = (components + ["config", "fanfare.yaml"]).joined(separator: "/")
        guard case .contents(let bytes, _) = BoundedFile.read(path, limit: 1 << 20) else {
            Issue.record("There is no \(path).")
            return ""
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Every `#key: value` without its `#`.
    private static func uncommented() throws -> String {
        try text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let indentation = line.prefix { $0 == " " }
            let rest = line.dropFirst(indentation.count)
            let isExample = rest.dropFirst().first?.isLetter == true || rest.hasPrefix("#- ")
            guard rest.hasPrefix("#"), isExample else { return String(line) }
            return String(indentation + rest.dropFirst())
        }.joined(separator: "\n")
    }

    @Test("as it is gives the defaults")
    func asShipped() throws {
        let files = try TemporaryFiles()
        #expect(try files.examine(try Self.text()).checked() == GatewayConfiguration())
    }

    @Test("shows every key, and the right default where there is one")
    func everyKey() throws {
        let files = try TemporaryFiles()
        let defaults = try files.examine("")
        let shown = try files.examine(try Self.uncommented())
        for entry in shown.entries {
            guard case .file = entry.source else {
                Issue.record("\(entry.key) is not in the file, or its value is refused.")
                continue
            }
            if let value = defaults[entry.key]?.value { #expect(entry.value == value, "\(entry.key)") }
        }
        #expect(shown.entries.count == defaults.entries.count + 27)
        // The examples' files and folders are not there; everything else is right.
        #expect(
            shown.errors.compactMap(\.key) == [
                "http.tls_certificate_file", "http.tls_key_file", "redis.certificate_file", "redis.key_file",
                "redis.ca_file", "topics.feeds.0.ca_file", "topics.feeds.0.headers_file",
                "apns.ca_file", "apns.key_file", "apns.former_key_files", "apps.sport.key_file",
                "apps.sport.former_key_files", "fcm.ca_file", "fcm.service_account_file", "apps.sport.fcm.ca_file",
                "apps.sport.fcm.service_account_file", "events.sealing_key_file",
                "events.former_sealing_key_files", "events.ca_file", "audit.file",
            ])
    }
}
