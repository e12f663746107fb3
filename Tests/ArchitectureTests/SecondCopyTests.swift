import Foundation
import Testing

/// Shared helpers exist once. The mock providers have their own copies, so that they reveal mistakes in the product's.
@Suite("One of each")
struct SecondCopyTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources").standardizedFileURL

    /// Patterns that reveal a copy, each with its replacement.
    private static var signs: [(sign: Regex<Substring>, instead: String, home: String)] {
        [
            (/(?i)0123456789abcdef/, "Hexadecimal", "Encodings"),
            (/0x61 ?\.\.\. ?0x66|\.hexDigitValue/, "Hexadecimal.value", "Encodings"),
            (/ascii: "a"\)\.\.\.UInt8\(ascii: "f"/, "Hexadecimal.value", "Encodings"),
            (/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef|base64EncodedString|Data\(base64Encoded/, "Base64", "Encodings"),
            (/"\[\\\([\w.]+\)\]|hasPrefix\("\["\)/, "Authority", "Encodings"),
            (/inet_\w+\(/, "IPAddress", "Encodings"),
            (/removingPercentEncoding|addingPercentEncoding/, "PercentEncoding", "Encodings"),
            (/multipliedReportingOverflow\(by: 1 <<|nanoseconds <</, "Backoff", "TimeCore"),
            (/% \((?:whole|nanoseconds) - half/, "TimeInterval.cut", "TimeCore"),
        ]
    }

    /// Exceptions: cluster redirections may lack the brackets of IPv6 addresses, and progress bars print brackets.
    private static let others: Set = [
        "IO/RedisClient/Cluster/ClusterAddress.swift", "Tools/TerminalDisplay/Progress/ProgressBar.swift",
    ]

    private static func findings(_ path: String, _ text: String) -> [String] {
        let target = path.split(separator: "/").dropFirst().first ?? ""
        return signs.compactMap { sign, instead, home in
            guard target != home, let found = text.firstMatch(of: sign) else { return nil }
            return "Sources/\(path) has \"\(found.output)\": use \(instead) of \(home)"
        }
    }

    @Test("Digits, addresses, authorities and growing pauses are written in one place")
    func copies() throws {
        let paths = FileManager.default.enumerator(atPath: Self.sources.path)?.compactMap { $0 as? String } ?? []
        let files = paths.filter {
            $0.hasSuffix(".swift") && !$0.hasPrefix("Tools/Mock") && !Self.others.contains($0)
        }
        #expect(files.count > 500)
        for path in files {
            let text = try String(contentsOf: Self.sources.appending(path: path), encoding: .utf8)
            for finding in Self.findings(path, text) { Issue.record("\(finding)") }
        }
    }

    /// NIO's C module declares a `stat` beside that of the C library. Swift picks one by the order of compilation, so a
    /// call may stop compiling.
    @Test("Whoever is built on NIO asks for files by FileStamp")
    func files() throws {
        let paths = FileManager.default.enumerator(atPath: Self.sources.path)?.compactMap { $0 as? String } ?? []
        var texts: [String: [(path: String, text: String)]] = [:]
        for path in paths where path.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.sources.appending(path: path), encoding: .utf8)
            texts[path.split(separator: "/").prefix(2).joined(separator: "/"), default: []].append((path, text))
        }
        let onNIO = texts.filter { $0.value.contains { $0.text.contains(/import (?:NIO|Hummingbird)/) } }
        #expect(onNIO.count > 4)
        for (path, text) in onNIO.values.joined() where text.contains(/\b[fl]?stat\(/) {
            Issue.record("Sources/\(path) calls stat: use FileStamp of Reactor")
        }
    }

    @Test(
        "A copy is found, and not in its home",
        arguments: [
            (#"let digits = "0123456789ABCDEF""#, "Encodings"), ("case 0x61...0x66: digit - 0x61 + 10", "Encodings"),
            (#"host.contains(":") ? "[\(host)]" : host"#, "Encodings"),
            ("let pause = first.nanoseconds << UInt64(failures)", "TimeCore"),
        ])
    func finding(line: String, home: String) {
        #expect(Self.findings("Gateway/Gateway/New.swift", line).count == 1)
        #expect(Self.findings("Core/\(home)/New.swift", line).isEmpty)
    }
}
