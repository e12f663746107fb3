import Foundation
import Testing

extension CommandLine {
    /// A mock provider, ready, and the variables that point a gateway at it and let it choose its port.
    func startMock() async throws -> (mock: Running, environment: [String: String]) {
        let mock = try start(["mock-apns", "--port", "0", "--out-dir", "apns"])
        guard try await mock.said("mock APNs listens at") else {
            mock.terminate()
            throw NotReady()
        }
        var environment = try CommandLine.variables(folder.appending(path: "apns/apns.env"))
        environment["FANFARE_HTTP_PORT"] = "0"
        return (mock, environment)
    }

    /// A gateway that listens, with what it has logged until then, and its port.
    func startGateway(_ environment: [String: String]) async throws -> (serve: Running, log: String, port: String) {
        // A busy machine may leave Redis without a core for seconds.
        let serve = try start(
            ["serve"], environment: environment.merging(["FANFARE_REDIS_COMMAND_TIMEOUT": "30s"]) { given, _ in given })
        guard try await serve.said("http://127.0.0.1:") else {
            serve.terminate()
            throw NotReady()
        }
        let log = try String(contentsOf: serve.errors, encoding: .utf8)
        let port = try #require(log.firstMatch(of: /http:\/\/127\.0\.0\.1:([1-9][0-9]*)/)).1
        return (serve, log, String(port))
    }

    /// A Redis that is not a private one of Fanfare's, and how commands reach it.
    /// - Parameter arguments: more of redis-server's.
    func startRedis(
        arguments: [String] = []
    ) async throws -> (server: Process, environment: [String: String]) {
        let socket = folder.appending(path: "redis.sock").path
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments =
            ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder.path] + arguments
        server.standardOutput = FileHandle.nullDevice
        try server.run()
        let end = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: socket) {
            guard server.isRunning, ContinuousClock.now < end else {
                server.end()
                throw NotReady()
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        return (server, ["FANFARE_REDIS_URL": "unix://\(socket)"])
    }

    /// A server has not come up within a minute.
    private struct NotReady: Error {}
}

extension CommandLine.Running {
    func terminate() {
        if process.isRunning { process.terminate() }
    }
}

extension Process {
    /// Ends a server that may have been started with SIGTERM blocked, as threads of the concurrency runtime have it.
    func end() {
        // The number of one that has ended may be another's by now.
        guard isRunning else { return }
        kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}
