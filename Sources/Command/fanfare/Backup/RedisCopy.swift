import Foundation
import RedisClient

/// Has `redis-cli` take a copy of a server's data, as a replica would get it.
struct RedisCopy {
    private let arguments: [String]
    private let password: String?

    /// Throws when who answers there could not be told.
    init(_ endpoint: RedisEndpoint) throws {
        // redis-cli asks who has signed a certificate, and not whom it is for.
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

    /// Writes it to a file, which is made. Returns when it is whole.
    func write(to file: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["redis-cli"] + arguments + ["--rdb", file]
        var environment = ProcessInfo.processInfo.environment
        // Not as an argument, which every user of the machine could read.
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
        // Few lines, of which none is held up.
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
