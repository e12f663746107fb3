import Foundation

/// A process that a test starts and ends by its id.
final class Child: @unchecked Sendable {
    // Confined to one thread until it is set up.
    private let process = Process()
    private let log: URL

    /// - Parameter command: A program in the path, and its arguments.
    init(_ command: [String], in folder: URL, environment: [String: String] = [:], log name: String) throws {
        log = folder.appendingPathComponent(name)
        try Data().write(to: log)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    deinit { end() }

    var id: Int32 { process.processIdentifier }
    var text: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    func end() {
        guard process.isRunning else { return }
        process.terminate()
        let deadline = Date().addingTimeInterval(10)
        while process.isRunning, Date() < deadline { usleep(20_000) }
        if process.isRunning { kill(id, SIGKILL) }
    }

    /// Runs a command to its end and returns its standard output.
    static func output(_ command: [String], in folder: URL, environment: [String: String] = [:]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(command.prefix(3)) has failed") }
        return String(decoding: data, as: UTF8.self)
    }
}

/// An error that ends a test.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Returns a free port of this machine.
func freePort() -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(socket, $0, length)
            _ = getsockname(socket, $0, &length)
        }
        return Int(UInt16(bigEndian: pointer.pointee.sin_port))
    }
}
