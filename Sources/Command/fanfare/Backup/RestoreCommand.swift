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
        abstract: "Restores a store from a copy into a Redis without a store.",
        discussion: """
            The copy is a file of `fanfare backup` or any other Redis RDB, also of another version or of a cluster's \
            master. A temporary redis-server loads it and copies Fanfare's keys into the configured Redis. That Redis \
            may be a cluster and may hold other keys, but no store. Stop all gateways first, and run an interrupted \
            restore again. Everything after the copy is lost: read docs/backup.md first.

            EXAMPLES:
              fanfare restore fanfare.rdb --config /etc/fanfare/fanfare.yaml
              fanfare restore node-1.rdb node-2.rdb node-3.rdb --config cluster.yaml
            """)

    @Argument(help: "The copy; for a cluster, the copies of all masters.", completion: .file(extensions: ["rdb"]))
    var files: [String]

    @Option(help: "The database to restore, if several databases of the copy have Fanfare keys.")
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
            throw CommandFailure("\(file) is a directory; name the file of the copy")
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
            let foreign = transfer.foreign == 0 ? "" : "; \(transfer.foreign) other keys skipped"
            print(
                "\(Format.count(transfer.restored)) keys restored\(foreign). Run fanfare doctor before you start a gateway"
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
