import Foundation
import Glibc
import Testing

@Suite("What a service manager is told", .serialized)
struct ServiceManagerTests {
    /// A socket that takes datagrams, as systemd's does.
    private final class Listener {
        let path: String
        private let descriptor: Int32

        init(_ folder: URL) throws {
            path = folder.appending(path: "notify").path
            descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            try #require(descriptor >= 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, length) }
            }
            try #require(bound == 0)
            var limit = timeval(tv_sec: 0, tv_usec: 100_000)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// The next datagram; nil when none comes for a moment.
        func next() -> String? {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
        }

        /// Datagrams until one begins so.
        func told(_ text: String) throws -> [String] {
            var all: [String] = []
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
                guard let next = next() else { continue }
                all.append(next)
                if next.hasPrefix(text) { return all }
            }
            Issue.record("\(text) does not come; \(all)")
            return all
        }
    }

    /// - Parameter body: ends the gateway.
    private func watched(
        _ variables: [String: String], _ body: (Listener, Process, _ port: String) throws -> Void
    ) async throws {
        let commands = try CommandLine()
        defer { commands.remove() }
        var (mock, environment) = try await commands.startMock()
        defer { mock.terminate() }
        let listener = try Listener(commands.folder)
        environment.merge(variables) { $1 }
        environment["NOTIFY_SOCKET"] = listener.path
        let (serve, _, port) = try await commands.startGateway(environment)
        defer { serve.terminate() }
        try body(listener, serve.process, port)
        #expect(try await serve.ended().status == 0)
    }

    @Test("That it is ready, lives while its threads answer, and stops; while it is stopped it is silent")
    func life() async throws {
        try await watched(["WATCHDOG_USEC": "400000"]) { listener, process, port in
            #expect(try listener.told("READY=1").last == "READY=1\nSTATUS=listening on port \(port)")
            for _ in 0..<3 { #expect(try listener.told("WATCHDOG=1").count == 1) }
            kill(process.processIdentifier, SIGSTOP)
            while listener.next() != nil {}
            #expect(listener.next() == nil)
            kill(process.processIdentifier, SIGCONT)
            _ = try listener.told("WATCHDOG=1")
            process.terminate()
            _ = try listener.told("STOPPING=1")
        }
    }

    @Test("Another process's watchdog is left alone")
    func another() async throws {
        try await watched(["WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"]) { listener, process, _ in
            _ = try listener.told("READY=1")
            for _ in 0..<3 { #expect(listener.next() == nil) }
            process.terminate()
            #expect(try listener.told("STOPPING=1").count == 1)
        }
    }
}
