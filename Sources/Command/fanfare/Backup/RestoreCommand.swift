import ArgumentParser
import Foundation
import GatewayConfiguration
import LiveActivity
import Reactor
import RedisClient
import RedisServerProcess
import TerminalDisplay
import TimeCore

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Brings the store of a copy into a Redis that has none.",
        discussion: """
            The copy is one of `fanfare backup`, or any other of Redis's files (RDB), also of another version or of a cluster's \
            node. It is loaded by a redis-server of its own, and Fanfare's keys go from there into the configured Redis, which \
            may be a cluster. No gateway may run there until this has ended. What has happened since the copy was taken is \
            forgotten: read docs/operating.md first.

            EXAMPLES:
              fanfare restore fanfare.rdb --config /etc/fanfare/fanfare.yaml
              fanfare restore node-1.rdb node-2.rdb node-3.rdb --config cluster.yaml
            """)

    @Argument(help: "The copy; of a cluster those of all its masters.", completion: .file(extensions: ["rdb"]))
    var files: [String]

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        umask(0o077)
        for file in files where Glibc.access(file, R_OK) != 0 {
            throw CommandFailure("\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        let access = try await RedisAccess.open(configuration)
        let outcome: Result<StoreTransfer.Counts, any Error>
        do {
            outcome = .success(try await restore(into: access, configuration.redis.serverPath))
        } catch {
            outcome = .failure(error)
        }
        await access.server?.stop()
        let counts = try outcome.get()
        if json {
            let object = JSONWriter.object {
                $0.field("keys", counts.restored)
                $0.field("foreign_keys", counts.foreign)
            }
            print(String(decoding: object, as: UTF8.self))
        } else {
            let foreign = counts.foreign == 0 ? "" : "; \(counts.foreign) that are not Fanfare's were left"
            print(
                "\(Format.count(counts.restored)) keys restored\(foreign). Before a gateway is started: fanfare doctor")
        }
    }

    private func restore(into access: RedisAccess, _ executable: String) async throws -> StoreTransfer.Counts {
        let reactor = try Reactor(name: "fanfare-io")
        defer { reactor.stop() }
        let target = RedisClient(reactor: reactor, endpoint: access.endpoint)
        var counts = StoreTransfer.Counts()
        let outcome: Result<Void, any Error>
        do {
            try await StoreTransfer.checkEmpty(target)
            for file in files {
                let loaded = try await LoadedCopy.load(file, executable)
                let source = RedisClient(reactor: reactor, endpoint: loaded.server.endpoint)
                let display = StepDisplay(isSilent: json)
                let result: Result<StoreTransfer.Counts, any Error>
                do {
                    result = .success(try await StoreTransfer(from: source, to: target, display).run(named: file))
                } catch {
                    result = .failure(error)
                }
                display.finish()
                await source.shutdown()
                await loaded.remove()
                counts.add(try result.get())
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await target.shutdown()
        try outcome.get()
        return counts
    }
}

/// A redis-server that has loaded a copy, in a folder of its own.
private struct LoadedCopy {
    let server: RedisServerProcess
    private let folder: String

    static func load(_ file: String, _ executable: String) async throws -> LoadedCopy {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-restore-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            try FileManager.default.copyItem(atPath: file, toPath: "\(folder)/dump.rdb")
            var options = RedisServerOptions()
            options.executable = executable
            // What is as large as the store takes its time.
            let server = try await RedisServerProcess.start(in: folder, options: options, deadline: .seconds(1800))
            return LoadedCopy(server: server, folder: folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw CommandFailure("\(file) cannot be loaded: \(PlainWords.of(error))")
        }
    }

    func remove() async {
        await server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
