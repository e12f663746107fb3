import ArgumentParser
import Foundation
import GatewayConfiguration
import GatewayStore
import LiveActivity
import Reactor
import RedisClient
import RedisServerProcess
import TerminalDisplay
import TimeCore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a consistent copy of the store to a file, while gateways run.",
        discussion: """
            The file is a Redis RDB, written by redis-cli, which must be installed. It holds all data, so only your \
            user can read it. Over TLS, redis.ca_file must name the authority of that Redis. Back up the sealing key, \
            the providers' keys and the configuration separately. In a cluster, copy each master with redis-cli \
            (docs/backup.md).

            EXAMPLES:
              fanfare backup fanfare.rdb --config /etc/fanfare/fanfare.yaml
            """)

    @Argument(help: "The file to create. An existing file is not replaced.", completion: .file(extensions: ["rdb"]))
    var file: String

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        umask(0o077)
        guard !file.isEmpty, access(file, F_OK) != 0,
            (try? FileManager.default.destinationOfSymbolicLink(atPath: file)) == nil
        else { throw CommandFailure("\(file) exists already; choose another file") }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        guard FileManager.default.isFolder(folder) else {
            throw CommandFailure("the directory \(folder) does not exist; create it, or choose another file")
        }
        try RedisAccess.requireStore(configuration)
        let access = try await RedisAccess.open(configuration)
        let outcome: Result<(size: Int, unfinished: Int), any Error>
        do {
            outcome = .success(try await Interruption.noted { try await copy(access) })
        } catch {
            outcome = .failure(error)
        }
        await access.server?.stop()
        let (size, unfinished) = try outcome.get()
        if unfinished > 0 {
            StandardError.print(
                """
                note: \(unfinished) broadcasts had not ended. After a restore, a start among them continues from this \
                moment, and phones that receive it in the meantime receive it again. Prefer a backup while no \
                broadcast runs
                """)
        }
        if json {
            let object = JSONWriter.object {
                $0.field("file", file)
                $0.field("bytes", size)
                $0.field("unfinished_broadcasts", unfinished)
            }
            print(String(decoding: object, as: UTF8.self))
        } else {
            print("\(file): \(Format.bytes(size))")
        }
    }

    /// The number of broadcasts that have not ended. Throws if there is no store to copy, because the copy of an empty
    /// Redis, or of another program's, would replace a good one.
    private static func unfinished(in client: RedisClient, at endpoint: RedisEndpoint) async throws -> Int {
        let store = GatewayStore(redis: client)
        let hasTenants = try await store.tenants.count() > 0
        guard !client.isCluster else {
            throw CommandFailure(
                "backup does not support a cluster; copy each master with redis-cli --rdb (docs/backup.md)")
        }
        guard hasTenants else {
            let keys = try await client.value(RedisCommand("DBSIZE")).int ?? 0
            throw CommandFailure(
                """
                database \(endpoint.database) of \(endpoint) has no Fanfare tenant, and \(keys) \
                \(keys == 1 ? "key" : "keys"): nothing was copied. Set redis.url (FANFARE_REDIS_URL) to the Redis and \
                the database of the gateways
                """)
        }
        return try await store.jobs.unfinished()
    }

    private func copy(_ access: RedisAccess) async throws -> (size: Int, unfinished: Int) {
        let copier = try RedisCopy(access.endpoint)
        let reactor = try Reactor(name: "fanfare-io")
        defer { reactor.stop() }
        var options = RedisClientOptions()
        // A replica has the same keys, so it may be copied too.
        options.needsPrimary = false
        let client = RedisClient(reactor: reactor, endpoint: access.endpoint, options: options)
        let unfinished: Int
        do {
            unfinished = try await BackupCommand.unfinished(in: client, at: access.endpoint)
            await client.shutdown()
        } catch {
            await client.shutdown()
            throw error as? CommandFailure ?? CommandFailure("\(error)")
        }
        // A unique name in the folder of the file, so that the copy is complete when it gets the file's name.
        let part = "\(file).\(UUID().uuidString.prefix(8)).part"
        defer { unlink(part) }
        try await copier.write(to: part)
        let handle = try FileHandle(forReadingFrom: URL(filePath: part))
        defer { try? handle.close() }
        guard try handle.read(upToCount: 5) == Data("REDIS".utf8) else {
            throw CommandFailure("Redis sent data that is not an RDB file; nothing was copied")
        }
        let size = (try FileManager.default.attributesOfItem(atPath: part)[.size] as? NSNumber)?.intValue ?? 0
        // A link does not replace a file that another program has created meanwhile.
        guard link(part, file) == 0 else {
            throw CommandFailure("\(file) cannot be created: \(String(cString: strerror(errno)))")
        }
        return (size, unfinished)
    }
}
