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
            may be a cluster, and has to be empty but for other keys. No gateway may run there until this has ended; one that was broken off is run again. What has happened since the copy was taken is \
            forgotten: read docs/operating.md first.

            EXAMPLES:
              fanfare restore fanfare.rdb --config /etc/fanfare/fanfare.yaml
              fanfare restore node-1.rdb node-2.rdb node-3.rdb --config cluster.yaml
            """)

    @Argument(help: "The copy; of a cluster those of all its masters.", completion: .file(extensions: ["rdb"]))
    var files: [String]

    @Option(help: "The database of the copy, when several of them have keys of Fanfare's.")
    var database: Int?

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        umask(0o077)
        for file in files where Glibc.access(file, R_OK) != 0 {
            throw CommandFailure("\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        for file in files where FileManager.default.isFolder(file) {
            throw CommandFailure("\(file) is a directory; name the copy itself")
        }
        let object = files.joined(separator: " ")
        let transfer = try await StoreAccess.audited(configuration, "restore", object: object) {
            let access = try await RedisAccess.open(configuration)
            let outcome: Result<StoreTransfer, any Error>
            do {
                outcome = .success(try await restore(into: access, configuration.redis.serverPath))
            } catch {
                outcome = .failure(error)
            }
            await access.server?.stop()
            return try outcome.get()
        }
        if json {
            let object = JSONWriter.object {
                $0.field("keys", transfer.restored)
                $0.field("foreign_keys", transfer.foreign)
            }
            print(String(decoding: object, as: UTF8.self))
        } else {
            let foreign = transfer.foreign == 0 ? "" : "; \(transfer.foreign) that are not Fanfare's were left"
            print(
                "\(Format.count(transfer.restored)) keys restored\(foreign). Before a gateway is started: fanfare doctor"
            )
        }
    }

    private func restore(into access: RedisAccess, _ executable: String) async throws -> StoreTransfer {
        let reactor = try Reactor(name: "fanfare-io")
        defer { reactor.stop() }
        let target = RedisClient(reactor: reactor, endpoint: access.endpoint)
        let display = StepDisplay(isSilent: json)
        var transfer = StoreTransfer(to: target, reactor, display)
        let outcome: Result<Void, any Error>
        do {
            try await transfer.begin()
            for file in files {
                let loaded = try await LoadedCopy.load(file, executable)
                let result: Result<Void, any Error>
                do {
                    result = .success(try await transfer.add(loaded, named: file, database: database))
                } catch {
                    result = .failure(error)
                }
                await loaded.remove()
                try result.get()
            }
            outcome = .success(try await transfer.finish())
        } catch {
            outcome = .failure(error)
        }
        display.finish()
        await target.shutdown()
        try outcome.get()
        return transfer
    }
}

extension FileManager {
    func isFolder(_ path: String) -> Bool {
        var isOne: ObjCBool = false
        return fileExists(atPath: path, isDirectory: &isOne) && isOne.boolValue
    }
}
