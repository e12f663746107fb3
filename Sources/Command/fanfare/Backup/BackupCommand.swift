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
        abstract: "Copies the store into a file, as of one moment, while gateways work.",
        discussion: """
            The file is Redis's own (RDB), as redis-cli, which must be installed, takes it. Its bytes are all of the data, so only \
            this user may read it. Over TLS redis.ca_file must say whom to trust. What else has to be kept, and apart from it: the sealing key, the providers' keys, the \
            configuration. The nodes of a cluster are copied each by itself, with redis-cli (docs/operating.md).

            EXAMPLES:
              fanfare backup fanfare.rdb --config /etc/fanfare/fanfare.yaml
            """)

    @Argument(help: "The file that is made; one that is there is not replaced.", completion: .file(extensions: ["rdb"]))
    var file: String

    @Flag(help: "Print JSON, and nothing else, on standard output.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try options.load()
        umask(0o077)
        guard !file.isEmpty, access(file, F_OK) != 0,
            (try? FileManager.default.destinationOfSymbolicLink(atPath: file)) == nil
        else { throw CommandFailure("\(file) is there already; name another file") }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        guard FileManager.default.isFolder(folder) else {
            throw CommandFailure("there is no folder \(folder) for the copy; make it, or name another file")
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
                note: \(unfinished) broadcasts had not ended. Where this copy is restored a start among them goes on from here, and \
                phones that get it meanwhile get it again; a copy that is taken while none runs is better
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

    /// The number of broadcasts that have not ended. Throws where there is no store to copy: the copy of an empty
    /// Redis, or of another program's, would replace a good one.
    private static func unfinished(in client: RedisClient, at endpoint: RedisEndpoint) async throws -> Int {
        let store = GatewayStore(redis: client)
        let hasTenants = try await store.tenants.count() > 0
        guard !client.isCluster else {
            throw CommandFailure("this is a cluster: copy each of its masters with redis-cli --rdb (docs/operating.md)")
        }
        guard hasTenants else {
            let keys = try await client.value(RedisCommand("DBSIZE")).int ?? 0
            throw CommandFailure(
                """
                database \(endpoint.database) of \(endpoint) has no tenant of Fanfare's, and \(keys) \(keys == 1 ? "key" : "keys"): \
                nothing was copied. redis.url (FANFARE_REDIS_URL) names the Redis and the database of the gateways
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
        // Beside the file, so that it becomes it at once; a name that nobody else has.
        let part = "\(file).\(UUID().uuidString.prefix(8)).part"
        defer { unlink(part) }
        try await copier.write(to: part)
        let handle = try FileHandle(forReadingFrom: URL(filePath: part))
        defer { try? handle.close() }
        guard try handle.read(upToCount: 5) == Data("REDIS".utf8) else {
            throw CommandFailure("what Redis sent is no copy of its data")
        }
        let size = (try FileManager.default.attributesOfItem(atPath: part)[.size] as? NSNumber)?.intValue ?? 0
        // Nobody's file is replaced that has come meanwhile.
        guard link(part, file) == 0 else {
            throw CommandFailure("\(file) cannot be made: \(String(cString: strerror(errno)))")
        }
        return (size, unfinished)
    }
}
