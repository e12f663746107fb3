import Foundation

/// The built executable.
struct CommandLine {
    /// The folder in which commands run. Its empty configuration takes precedence over one of this machine.
    let folder: URL

    init() throws {
        folder = URL(filePath: "/tmp/fanfare-cli-\(UInt64.random(in: 0 ... .max))")
        let configuration = folder.appending(path: "config")
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: true)
        try Data().write(to: configuration.appending(path: "fanfare.yaml"))
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    static var executable: URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appending(path: "fanfare")
    }

    func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Running {
        let process = Process()
        process.executableURL = CommandLine.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FANFARE_") }
        process.environment = inherited.merging(environment) { $1 }
        // Files, because pipes need a reader while the process runs.
        let name = UUID().uuidString
        let output = folder.appending(path: "\(name).out")
        let errors = folder.appending(path: "\(name).err")
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return Running(process: process, output: output, errors: errors)
    }

    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Result {
        try await start(arguments, environment: environment).ended()
    }

    /// Returns the variables of a file for a shell's `.` command.
    static func variables(_ file: URL) throws -> [String: String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").reduce(into: [:]) { variables, line in
            let pair = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { return }
            variables[pair[0].replacingOccurrences(of: "export ", with: "")] = pair[1].trimmingCharacters(in: [
                "'", "\"",
            ])
        }
    }

    struct Running {
        let process: Process
        let output: URL
        let errors: URL

        /// Waits for the end. Kills a process that takes more than two minutes.
        func ended() async throws -> Result {
            let end = ContinuousClock.now + .seconds(120)
            while process.isRunning {
                if ContinuousClock.now > end { kill(process.processIdentifier, SIGKILL) }
                try await Task.sleep(for: .milliseconds(20))
            }
            return Result(
                status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
        }

        /// Returns true once standard error contains the text; false if the process ends or a minute passes first.
        func said(_ text: String) async throws -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end, process.isRunning {
                if try String(contentsOf: errors, encoding: .utf8).contains(text) { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
    }
}
