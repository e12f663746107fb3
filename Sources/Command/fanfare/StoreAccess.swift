import Foundation
import Gateway
import GatewayConfiguration
import GatewayStore
import Reactor
import RedisClient
import RedisServerProcess
import TimeCore

/// The configured Redis, or the private one, which is started unless it runs.
struct RedisAccess {
    let endpoint: RedisEndpoint
    /// The started child process; nil if Redis runs independently.
    let server: RedisServerProcess?
    /// The data directory of a private Redis that was just created.
    var newDirectory: String?

    /// Throws if `open` would create a private store, because commands that read must not.
    static func requireStore(_ configuration: GatewayConfiguration) throws {
        let directory = configuration.redis.dataDirectory
        guard
            configuration.redis.url != nil || RedisServerProcess.hasData(directory)
                || RedisServerProcess.isInUse(directory)
        else {
            throw CommandFailure(
                """
                \(directory) has no store. Name the gateways' store with --config or FANFARE_REDIS_URL, or create one \
                here with `fanfare serve` or `fanfare tenant create NAME`
                """)
        }
    }

    static func open(_ configuration: GatewayConfiguration) async throws -> RedisAccess {
        if let url = configuration.redis.url {
            return RedisAccess(endpoint: try endpoint(url, configuration.redis), server: nil)
        }
        let directory = configuration.redis.dataDirectory
        do {
            // The directory is verified before a running server in it is trusted.
            try RedisServerProcess.verify(directory)
        } catch {
            throw CommandFailure("redis.data_dir: \(error)")
        }
        if RedisServerProcess.isInUse(directory) {
            return RedisAccess(endpoint: RedisServerProcess.endpoint(in: directory), server: nil)
        }
        return try await start(in: directory, configuration.redis)
    }

    private static func endpoint(_ url: String, _ files: GatewayConfiguration.Redis) throws -> RedisEndpoint {
        do {
            var endpoint = try RedisEndpoint(url: url)
            if endpoint.tls != nil {
                endpoint.tls = RedisTLS(
                    caFile: files.caFile, certificateFile: files.certificateFile, keyFile: files.keyFile)
            }
            return endpoint
        } catch {
            throw CommandFailure("redis.url: \(error)")
        }
    }

    private static func start(
        in directory: String, _ configuration: GatewayConfiguration.Redis
    ) async throws -> RedisAccess {
        var options = RedisServerOptions()
        options.persistence = .appendOnly
        options.executable = configuration.serverPath
        let isNew = !RedisServerProcess.hasData(directory)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let server = try await RedisServerProcess.start(in: directory, options: options, deadline: .seconds(60))
            let newDirectory = isNew ? URL(filePath: server.directory).path : nil
            return RedisAccess(endpoint: server.endpoint, server: server, newDirectory: newDirectory)
        } catch {
            throw CommandFailure(
                """
                the private redis-server cannot start in \(directory): \(PlainWords.of(error)). Set redis.data_dir \
                (FANFARE_REDIS_DATA_DIR) to another directory, or redis.url (FANFARE_REDIS_URL) to your own Redis
                """)
        }
    }
}

/// The store, for commands that use it once.
enum StoreAccess {
    /// The use that a command makes of the store.
    enum Purpose {
        /// Writes nothing, so that an empty Redis stays empty.
        case reading
        /// Creates a missing private store, and records the layout in an empty Redis.
        case writing
        /// Writes, and creates a missing sealing key.
        case sealing
    }

    /// Reads the layout. A command that writes records it in an empty Redis.
    private static func settle(_ layout: StoredLayout, for purpose: Purpose) async throws(StoreError) {
        do {
            if purpose == .reading { _ = try await layout.read() } else { try await layout.settle() }
        } catch {
            // The command itself reports a missing right with more detail.
            if error.refusal == nil { throw error }
        }
    }

    static func with<Value>(
        _ configuration: GatewayConfiguration, for purpose: Purpose = .reading,
        _ body: (GatewayStore) async throws -> Value
    ) async throws -> Value {
        if purpose == .reading { try RedisAccess.requireStore(configuration) }
        let access = try await RedisAccess.open(configuration)
        if let directory = access.newDirectory { noteNewStore(directory) }
        let key: SealingKeyFile?
        do {
            key = try SealingKeyFile.read(configuration, making: purpose == .sealing)
        } catch {
            await access.server?.stop()
            throw error
        }
        let reactor = try Reactor(name: "fanfare-io")
        var options = RedisClientOptions()
        options.scripts = GatewayStore.scripts
        // Missing rights are detected before the first write, so that no change is incomplete.
        options.rights = GatewayStore.rights
        let client = RedisClient(reactor: reactor, endpoint: access.endpoint, options: options)
        let result: Result<Value, any Error>
        do {
            let store = try await store(client, key)
            try await settle(store.layout, for: purpose)
            let value = try await body(store)
            await store.flushNews()
            result = .success(value)
        } catch {
            result = .failure(error)
        }
        await client.shutdown()
        reactor.stop()
        await access.server?.stop()
        do {
            return try result.get()
        } catch let error as StoreError {
            throw failure(error, isOwnRedis: access.server == nil && configuration.redis.url != nil)
        }
    }

    private static func noteNewStore(_ directory: String) {
        StandardError.print(
            """
            note: created a new store in \(directory), because redis.url is not set. Only a gateway with this \
            redis.data_dir uses it; choose another store with --config or FANFARE_REDIS_URL
            """)
    }

    private static func store(_ client: RedisClient, _ key: SealingKeyFile?) async throws -> GatewayStore {
        let store = GatewayStore(redis: client, identity: key?.identity)
        // A local key is unusable if the secrets in the store are sealed with another one.
        if key?.localPath != nil, try await store.tenants.identitySealing().isForeign {
            return GatewayStore(redis: client, identity: nil)
        }
        if let note = key?.note { StandardError.print("note: \(note)") }
        return store
    }

    /// - Parameter isOwnRedis: True if the operator's Redis is used, not a private one.
    private static func failure(_ error: StoreError, isOwnRedis: Bool) -> CommandFailure {
        guard case .unavailable = error, isOwnRedis else { return CommandFailure("\(error)") }
        let remedy = ConnectionCause("\(error)").remedyForRedis
        return CommandFailure("\(error). \(remedy.prefix(1).uppercased() + remedy.dropFirst()) (FANFARE_REDIS_URL)")
    }
}
