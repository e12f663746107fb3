import Foundation
import LiveActivity
import Reactor
import RedisClient
import RedisServerProcess
import Testing
import TimeCore

@testable import GatewayStore

/// What a store held at some moment, in a text: commands that write it, and above them, in lines that begin with `#`,
/// what else belongs to it. It is opened by the clock of that moment: the redis-server is given one that is behind, and
/// gateways go by Redis's clock. So nothing in it ever expires, and no time in it has to be changed.
struct FormerStore: Sendable {
    /// The names of what it holds, and the secrets of its tenant.
    private let names: [String: String]
    private let commands: [StoreText.Command]
    /// By how many seconds the store's clock is behind this machine's.
    private let delay: Int

    /// How long after it was written the store is opened: long enough that its jobs are free and what is scheduled is
    /// due.
    static let silence: Int64 = 60

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    init(_ text: String) throws {
        var names: [String: String] = [:]
        var commands: [StoreText.Command] = []
        for line in text.split(separator: "\n").map(String.init) {
            guard line.hasPrefix("# ") else {
                commands.append(try StoreText.command(line))
                continue
            }
            let parts = line.dropFirst(2).split(separator: ": ", maxSplits: 1)
            if parts.count == 2 { names[String(parts[0])] = String(parts[1]) }
        }
        guard let written = names["written at"].flatMap({ Int64($0) }) else { throw Missing(description: "no time") }
        self.names = names
        self.commands = commands
        delay = Int(WallTime.now().seconds - written - FormerStore.silence)
    }

    /// The text of this machine's present moment.
    static func text(_ head: [(name: String, value: String)], _ commands: [StoreText.Command]) -> String {
        let lines = head.map { "# \($0.name): \($0.value)" } + commands.map(StoreText.line)
        return lines.joined(separator: "\n") + "\n"
    }

    func name(_ name: String) throws -> String {
        guard let value = names[name] else { throw Missing(description: "the store names no \(name)") }
        return value
    }

    func id(_ name: String) throws -> UniqueID {
        guard let id = UniqueID(try self.name(name)) else { throw Missing(description: "\(name) is no id") }
        return id
    }

    /// What the store's clock shows.
    var now: WallTime { WallTime(milliseconds: WallTime.now().milliseconds - Int64(delay) * 1000) }

    /// The store's tenant, as it was made.
    func tenant() throws -> TenantSecrets {
        TenantSecrets(
            tenantID: try name("tenant"), apiKey: try name("api key"), sdkKey: try name("sdk key"),
            identitySecret: try name("identity secret"))
    }

    /// The key that content in the store is sealed under, as a file in the directory of a mock to come.
    func writeSigningKey(into directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let pem = "-----BEGIN PRIVATE KEY-----\n\(try name("signing key"))\n-----END PRIVATE KEY-----\n"
        try pem.write(toFile: "\(directory)/key.p8", atomically: true, encoding: .utf8)
    }

    /// A redis-server that goes by the store's clock.
    /// - Parameter directory: where the library and the script are put that this takes.
    func redisOptions(in directory: String) throws -> RedisServerOptions {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Resources/shifted_clock.c").standardizedFileURL.path
        let script = """
            #!/bin/sh
            set -e
            compiler=$(command -v cc || command -v gcc || command -v clang)
            library='\(directory)/shifted_clock.so'
            "$compiler" -shared -fPIC -O1 -DSHIFT='\(-delay)' -o "$library" '\(source)'
            LD_PRELOAD="$library" exec redis-server "$@"
            """
        var options = RedisServerOptions()
        options.executable = "\(directory)/redis-server"
        try script.write(toFile: options.executable, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: options.executable)
        return options
    }

    func load(into endpoint: RedisEndpoint) async throws {
        let reactor = try Reactor(name: "former-store")
        let client = RedisClient(reactor: reactor, endpoint: endpoint)
        do {
            for command in commands {
                let name = String(decoding: command[0], as: UTF8.self)
                _ = try await client.value(RedisCommand(name, arguments: Array(command.dropFirst())))
            }
        } catch {
            await client.shutdown()
            reactor.stop()
            throw error
        }
        await client.shutdown()
        reactor.stop()
    }
}
