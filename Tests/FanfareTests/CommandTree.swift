import Foundation

/// The command line as the executable describes it. Completions, manual page and help are generated from it.
struct CommandTree {
    struct Option {
        /// The name with its dashes, as in `--port`; nil for an argument without a name.
        let name: String?
        let help: String
    }

    struct Command {
        /// The words of the command, as in `fanfare tenant create`.
        let path: [String]
        let abstract: String
        let discussion: String
        let options: [Option]
        let isGroup: Bool
    }

    let commands: [Command]

    /// Reads the tree from the built executable.
    static func read() async throws -> CommandTree {
        let commands = try CommandLine()
        defer { commands.remove() }
        let text = try await commands.run("--experimental-dump-help").output
        let description = try JSONDecoder().decode(Description.self, from: Data(text.utf8))
        return CommandTree(commands: collect(description.command, under: []))
    }

    private static func collect(_ node: Node, under path: [String]) -> [Command] {
        let path = path + [node.commandName]
        let options = (node.arguments ?? []).filter { $0.shouldDisplay ?? true }.map { argument in
            let long = argument.names?.first { $0.kind == "long" }
            return Option(name: long.map { "--\($0.name)" }, help: argument.abstract ?? "")
        }
        let inner = (node.subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay ?? true }
        let own = Command(
            path: path, abstract: node.abstract ?? "", discussion: node.discussion ?? "", options: options,
            isGroup: !inner.isEmpty)
        return [own] + inner.flatMap { collect($0, under: path) }
    }

    private struct Description: Decodable {
        let command: Node
    }

    private struct Node: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool?
        let arguments: [Argument]?
        let subcommands: [Node]?
    }

    private struct Argument: Decodable {
        let abstract: String?
        let shouldDisplay: Bool?
        let names: [Name]?
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}

/// Runs programs of the system.
enum Program {
    /// Runs a program to its end. Returns its status, standard output and standard error.
    static func run(_ path: String, _ arguments: String..., in folder: URL? = nil) throws -> CommandLine.Result {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = folder }
        let name = "/tmp/fanfare-program-\(UInt64.random(in: 0 ... .max))"
        let files = ["\(name).out", "\(name).err"]
        defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
        for file in files { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        process.standardOutput = FileHandle(forWritingAtPath: files[0])
        process.standardError = FileHandle(forWritingAtPath: files[1])
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return CommandLine.Result(
            status: process.terminationStatus, output: try String(contentsOfFile: files[0], encoding: .utf8),
            errors: try String(contentsOfFile: files[1], encoding: .utf8))
    }
}
