import Foundation
import Testing

@Suite("The commands of the chapters on nginx, systemd and erasure", .serialized)
struct DocumentedSurroundingTests {
    /// Its module for TCP is a package of its own, from where `fanfare-stream.conf` loads it.
    static let hasNginx =
        DocumentedCommands.hasTools && DocumentedCommands.has("nginx", "pgrep", "python3")
        && FileManager.default.fileExists(atPath: "/usr/lib/nginx/modules/ngx_stream_module.so")

    /// The first one that verifies a single unit, and knows `%d`.
    static let hasSystemd: Bool = {
        guard DocumentedCommands.has("systemd-analyze"),
            let answer = try? Program.run("/usr/bin/env", "systemd-analyze", "--version"),
            let version = answer.output.firstMatch(of: /systemd (\d+)/)
        else { return false }
        return Int(version.1).map { $0 >= 250 } ?? false
    }()

    /// Expects lines that contain these texts, in this order; other lines may stand between them.
    private func expect(_ texts: [String], in result: CommandLine.Result) {
        var rest = result.output.split(whereSeparator: \.isNewline)[...]
        for text in texts {
            let found = rest.firstIndex { $0.contains(text) }
            #expect(found != nil, "\(text)\n\(result.output)\n\(result.errors)")
            rest = rest[(found.map { $0 + 1 } ?? rest.startIndex)...]
        }
    }

    @Test(
        "nginx: what passes, whose request it is, what is sent again, and a rolling restart without a refused call",
        .enabled(
            if: DocumentedSurroundingTests.hasNginx,
            "it needs nginx, its module for TCP, curl, jq, openssl and pgrep, which make test installs"))
    func nginx() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var documented = try DocumentedCommands(of: "docs/nginx.md")
        documented.replace("cp /usr/share/doc/fanfare/nginx/*.conf .\n", by: "")
        let places = ["2197", "6390", "8443", "8444", "8081", "8082", "8083", "8084", "9081", "9082", "9083", "9084"]
        let ports = try documented.replacePorts(places)
        for name in ["fanfare.conf", "fanfare-stream.conf"] {
            try DocumentedCommands.text(of: "packaging/nginx/\(name)", places, ports)
                .write(to: commands.folder.appending(path: name), atomically: true, encoding: .utf8)
        }
        let result = try documented.run(in: commands.folder)
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        let lines = result.output.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        // A device, a token, an activity, a reading; and what is not there.
        let codes = Array(repeating: "200", count: 4) + Array(repeating: "404", count: 6)
        #expect(Array(lines.prefix(codes.count)) == codes, "\(result.output) \(result.errors)")
        expect(
            [
                #""address":"127.0.0.2""#, "SameSite=Strict; Secure", "6 200", "6 200", "6 200",
                #""users":13000"#, " 200", #""address":"127.0.0.3""#, "closed",
            ], in: result)
        // From the upload on only the rolling restart counts answers.
        let counts = lines.drop { !$0.contains(#""users":13000"#) }.filter { $0.wholeMatch(of: /\d+ \d{3}/) != nil }
        #expect(counts.count == 1 && counts.first?.hasSuffix(" 200") == true, "\(result.output)")
    }

    @Test(
        "systemd: the package's unit is in order, with drop-ins and as a template, and a wrong line is noticed",
        .enabled(
            if: DocumentedSurroundingTests.hasSystemd,
            "it needs systemd-analyze of systemd 250 or later, which make test installs"))
    func systemd() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var documented = try DocumentedCommands(of: "docs/systemd.md")
        // The unit is verified with an executable that is there.
        let unit = try DocumentedCommands.text(of: "packaging/debian/fanfare.service", [], [])
        try #require(unit.contains("ExecStart=/usr/bin/fanfare serve"))
        let given = commands.folder.appending(path: "given.service")
        try unit.replacingOccurrences(of: "/usr/bin/fanfare", with: CommandLine.executable.path)
            .write(to: given, atomically: true, encoding: .utf8)
        documented.replace("/lib/systemd/system/fanfare.service", by: given.path)
        let result = try documented.run(in: commands.folder)
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        let lines = result.output.split(whereSeparator: \.isNewline).map(String.init)
        #expect(lines.filter { !$0.contains("exposure") } == ["valid", "invalid", "valid"], "\(lines)")
        #expect(lines.contains { $0.contains("Overall exposure level") && $0.contains(" OK") }, "\(lines)")
        #expect(result.errors.contains("Unknown key 'LimitNOFILES' in section [Service]"), "\(result.errors)")
    }

    @Test(
        "Erasure: from what is known of a user to what is left, a device alone, and an end that waits for the provider",
        .enabled(
            if: DocumentedCommands.hasTools && DocumentedCommands.has("redis-cli"),
            "it needs curl, jq and redis-cli, which make test installs; other suites play the same calls"))
    func erasure() throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var documented = try DocumentedCommands(of: "docs/erasure.md")
        let ports = try documented.replacePorts(["2197", "6390", "8080"])
        let result = try documented.run(in: commands.folder, environment: "FANFARE_HTTP_PORT=\(ports[2])")
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        expect(
            [
                #""users":3"#, #""sessions_triggered":5"#, #""udid": "phone-1""#, #""udid": "tablet-1""#,
                #""removed":{"users":1,"devices":2,"#,
                #""devices":[]"#, #""users":2"#, "bob-4712", "cat-4713", #""object":"sha256:"#,
                #"{"devices":1,"tokens":1,"activities":1,"live_activities_ended":0},"complete":true}"#, "phone-2",
                #""complete":false"#, #""devices":[]"#, #""complete":true"#, "is disabled", "LIVE_ACTIVITY_DISABLED",
                "erased: the user", "is enabled", #""devices":[]"#, "after.rdb: nothing",
                "before.rdb: the name is there", "the append-only file has the name",
            ], in: result)
    }
}
