import GatewayConfiguration
import TestSupport
import Testing

@Suite("The file")
struct ConfigurationFileTests {
    @Test(
        "that is not YAML is refused with the place and without its text",
        arguments: Escaped.each(
            [
                ("http:\n  port: [1\nredis: s3cr3t\n", 3), ("redis:\n\turl: s3cr3t\n", 2), ("- s3cr3t\n", nil),
                ("http: {port: 1}\nhttp: {port: 2}\n", 1), ("http.port: 1\nhttp: {port: 2}\n", 2),
                ("a: [[s3cr3t]]\n", 1),
                ("a: 1\n---\nb: 2\n", 2), ("[s3cr3t]: 1\n", 1), ("a: *s3cr3t\n", 1),
            ] as [(String, Int?)]))
    func broken(_ argument: Escaped<(String, Int?)>) throws {
        let (text, line) = argument.value
        let files = try TemporaryFiles()
        let report = try files.examine(text)
        let problem = try #require(report.errors.first)
        #expect(problem.source == .file(path: "\(files.directory)/fanfare.yaml", line: line), "\(problem)")
        #expect(!report.problems.description.contains("s3cr3t"), "\(problem)")
    }

    @Test("that is too large, a directory or not text is refused")
    func unreadable() throws {
        let files = try TemporaryFiles()
        let large = try files.examine(String(repeating: "# line\n", count: 200_000))
        #expect(large.errors.map(\.message.isEmpty) == [false])
        #expect(large.errors.first?.message.hasSuffix("is larger than 1048576 bytes.") == true)
        let directory = GatewayConfiguration.examine(file: files.directory, environment: [:])
        #expect(directory.errors.map(\.message) == ["The file \(files.directory) is a directory."])
    }

    @Test("that can't be read does not hide what is wrong in the environment")
    func environmentToo() throws {
        let files = try TemporaryFiles()
        let report = try files.examine("[", ["FANFARE_HTTP_PORT": "x", "FANFARE_APNS_KEY_ID": "K"])
        #expect(report.errors.map(\.key) == [nil, "http.port"])
    }
}
