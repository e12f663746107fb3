import Foundation
import Glibc
import Testing

@Suite("A process without descriptors", .serialized)
struct DescriptorShortageTests {
    @Test("It waits in place of asking again and again, has idle connections make way, and serves on when it may")
    func shortage() async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        let (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let (serve, log, text) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        #expect(log.contains("file descriptors allocated"))
        let process = serve.process.processIdentifier
        let port = try #require(UInt16(text))
        // The soft limit is raised to the hard limit.
        let usual = try await limits(process)
        #expect(usual.count == 2 && usual.first == usual.last)

        // The limit leaves room for one connection, and no connection can be evicted.
        try await lower(process, to: "\(Self.open(process) + 10)")
        let last = connect(port)
        defer { close(last) }
        #expect(ask(last))
        #expect(answer(last)?.hasPrefix("HTTP/1.1 200") == true)
        let waiting = connect(port)
        defer { close(waiting) }
        #expect(ask(waiting))
        let before = try Self.ticks(process)
        try await Task.sleep(for: .seconds(1))
        let spent = try Self.ticks(process) - before
        #expect(spent < sysconf(Int32(_SC_CLK_TCK)) / 3, "\(spent) ticks in a second")
        #expect(!isAnswered(waiting))
        try await lower(process, to: try #require(usual.last))
        #expect(answer(waiting)?.hasPrefix("HTTP/1.1 200") == true)

        // Idle connections hold the descriptors that a new connection needs.
        let idle = (0..<40).map { _ in connect(port) }
        defer { for descriptor in idle { close(descriptor) } }
        // The listener accepts connections in order, so this answer shows that it has accepted all of them.
        let asking = connect(port)
        defer { close(asking) }
        #expect(ask(asking, closing: false))
        #expect(answer(asking)?.hasPrefix("HTTP/1.1 200") == true)
        try await lower(process, to: "\(Self.open(process) + 20)")
        // This connection is the last one before evictions.
        let first = connect(port)
        defer { close(first) }
        #expect(ask(first))
        #expect(answer(first)?.hasPrefix("HTTP/1.1 200") == true)
        let newcomer = connect(port)
        defer { close(newcomer) }
        #expect(ask(newcomer))
        #expect(answer(newcomer)?.hasPrefix("HTTP/1.1 200") == true)
        let errors = try String(contentsOf: serve.errors, encoding: .utf8)
        #expect(errors.ranges(of: "no descriptor for a new connection").count == 1)
    }

    /// Returns the soft and the hard limit of open files of a process.
    private func limits(_ process: pid_t) async throws -> [String] {
        try await tool("--pid", "\(process)", "--nofile", "--noheadings", "--output=SOFT,HARD")
            .split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private func lower(_ process: pid_t, to count: String) async throws {
        _ = try await tool("--pid", "\(process)", "--nofile=\(count):")
    }

    private func tool(_ arguments: String...) async throws -> String {
        let tool = Process()
        let output = Pipe()
        tool.executableURL = URL(filePath: "/usr/bin/env")
        tool.arguments = ["prlimit"] + arguments
        tool.standardOutput = output
        try tool.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        tool.waitUntilExit()
        #expect(tool.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, 1, 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(status == 0)
        return descriptor
    }

    private func ask(_ descriptor: Int32, closing: Bool = true) -> Bool {
        let end = closing ? "Connection: close\r\n\r\n" : "\r\n"
        let request = Array("GET /health/live HTTP/1.1\r\nHost: a\r\n\(end)".utf8)
        return send(descriptor, request, request.count, 0) == request.count
    }

    private func isAnswered(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
    }

    private func answer(_ descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Returns the number of open files of a process.
    private static func open(_ process: pid_t) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// Returns the CPU time of a process, in clock ticks.
    private static func ticks(_ process: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }
}
