import Foundation
import Testing

/// The shell commands of a document, as a reader types them, with places and ports of their own.
struct DocumentedCommands {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL

    /// True if the tools are there that the commands need and a build does not.
    static let hasTools = has("curl", "jq", "openssl")

    /// True if all these programs are on this machine.
    static func has(_ tools: String...) -> Bool {
        tools.allSatisfy { tool in
            ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"].contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
            }
        }
    }

    private(set) var script: String

    /// All commands of a document, or those of one chapter.
    init(of document: String, chapter: String? = nil) throws {
        script = try Self.blocks("sh", of: document, chapter: chapter).joined(separator: "\n")
    }

    /// The blocks of a document that are in a language.
    static func blocks(_ language: String, of document: String, chapter: String?) throws -> [String] {
        var text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
        if let chapter {
            let parts = text.components(separatedBy: "\n## ")
            text = try #require(parts.first { $0.hasPrefix("\(chapter)\n") }, "\(document) has no chapter \(chapter)")
        }
        return text.components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    /// Replaces what must be there.
    mutating func replace(_ text: String, by other: String) {
        #expect(script.contains(text), "\(text)")
        script = script.replacingOccurrences(of: text, with: other)
    }

    /// Adds a line at the end.
    mutating func append(_ line: String) {
        script += "\n\(line)"
    }

    /// Replaces each text and the port behind it by the same with a free port.
    /// - Returns: the ports, in the same order.
    @discardableResult
    mutating func replacePorts(_ places: [String]) throws -> [Int] {
        // The ports are below those of outgoing connections, because one of these could take a port before its server
        // does. Walks that begin at the same time have close process ids, so each gets 32 ports of its own.
        let ask = """
            import os, socket
            first = int(open('/proc/sys/net/ipv4/ip_local_port_range').read().split()[0])
            sockets, port = [], first - 2000 - os.getpid() * 32 % 8000
            while len(sockets) < \(places.count) and port < first:
                probe = socket.socket()
                try:
                    probe.bind(('127.0.0.1', port))
                    sockets.append(probe)
                except OSError:
                    pass
                port += 1
            print(*[each.getsockname()[1] for each in sockets])
            """
        let answer = try Program.run("/usr/bin/env", "python3", "-c", ask)
        let free = answer.output.split { $0.isWhitespace }.compactMap { Int($0) }
        try #require(free.count == places.count)
        // In two steps, for a free port may contain the digits of another one.
        for (index, place) in places.enumerated() { replace(place, by: "<port \(index)>") }
        for (index, place) in places.enumerated() {
            let prefix = String(place.reversed().drop { $0.isNumber }.reversed())
            replace("<port \(index)>", by: "\(prefix)\(free[index])")
        }
        return free
    }

    /// A file that the commands use, with the ports that `replacePorts` has put into the place of those that stand
    /// there.
    static func text(of file: String, _ places: [String], _ ports: [Int]) throws -> String {
        var text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
        for (index, place) in places.enumerated() {
            text = text.replacingOccurrences(of: place, with: "<port \(index)>")
        }
        for (index, port) in ports.enumerated() {
            text = text.replacingOccurrences(of: "<port \(index)>", with: "\(port)")
        }
        return text
    }

    /// Runs them with the built executable, and ends the processes that they leave running.
    func run(in folder: URL, environment: String = "") throws -> CommandLine.Result {
        let executables = CommandLine.executable.deletingLastPathComponent().path
        let head = """
            set -m; export PATH='\(executables)':"$PATH" \(environment)
            trap 'kill $(jobs -p) 2>/dev/null' EXIT
            """
        // The test runner blocks signals, which children inherit. A server must receive the signal that ends it.
        return try Program.run(
            "/usr/bin/env", "--default-signal", "/usr/bin/timeout", "600", "/bin/bash", "--norc", "-c",
            head + "\n" + script, in: folder)
    }
}
