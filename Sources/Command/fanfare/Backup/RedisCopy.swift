import Foundation
import RedisClient

/// A copy of a server's data, which `redis-cli` fetches like a replica.
struct RedisCopy {
    private let arguments: [String]
    private let password: String?

    /// Throws if `redis-cli` cannot verify the server, or for Sentinel.
    init(_ endpoint: RedisEndpoint) throws {
        // redis-cli verifies the issuer of a certificate, but not the host name.
        guard endpoint.tls == nil || endpoint.tls?.caFile != nil else {
            throw CommandFailure(
                "redis-cli does not verify the host name: name only the authority of that Redis in "
                    + "redis.ca_file")
        }
        guard endpoint.sentinelName == nil else {
            throw CommandFailure("redis-cli does not support Sentinel; name the server itself in FANFARE_REDIS_URL")
        }
        var arguments: [String]
        switch endpoint.location {
        case .unix(let path): arguments = ["-s", path]
        case .tcp(let host, let port): arguments = ["-h", host, "-p", String(port)]
        }
        if let tls = endpoint.tls {
            arguments.append("--tls")
            for (name, file) in [("--cacert", tls.caFile), ("--cert", tls.certificateFile), ("--key", tls.keyFile)] {
                if let file { arguments += [name, file] }
            }
        }
        if let user = endpoint.user { arguments += ["--user", user] }
        self.arguments = arguments
        password = endpoint.password
    }

    /// Creates a file and writes the copy to it. Returns when the copy is complete.
    func write(to file: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["redis-cli"] + arguments + ["--rdb", file]
        var environment = ProcessInfo.processInfo.environment
        // Passed in the environment, because every user of the machine can read arguments.
        environment["REDISCLI_AUTH"] = password
        process.environment = environment
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        let ended = AsyncStream<Void> { continuation in
            process.terminationHandler = { _ in continuation.finish() }
        }
        try process.run()
        // Read concurrently. The text is short, so nothing blocks.
        let said = Task.detached { try? errors.fileHandleForReading.readToEnd() }
        do {
            try await Interruption.cancelling { for await _ in ended {} }
        } catch {
            process.terminate()
            process.waitUntilExit()
            throw error
        }
        process.waitUntilExit()
        let text = String(decoding: await said.value ?? Data(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0 else {
            if process.terminationStatus == 127 {
                throw CommandFailure("redis-cli is not installed; install redis-tools")
            }
            let advice =
                text.contains("NOPERM") ? ". Grant the Redis user the rights +psync +sync +replconf" : ""
            throw CommandFailure("Redis refused the copy: \(text.split(separator: "\n").last ?? "")\(advice)")
        }
    }
}
