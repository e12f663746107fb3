import Foundation
import Reactor
import RedisServerProcess
import Synchronization
import TestStore
import Testing
import TimeCore

@testable import RedisClient

/// Runs `body` with an exclusive cluster, a reactor and a client.
func withCluster(
    _ change: (inout RedisClientOptions) -> Void = { _ in },
    tls: RedisServerOptions.TLS? = StoreBackend.isEncrypted ? TestTLS.server : nil,
    _ body: (RedisClient, RedisCluster) async throws -> Void
) async throws {
    // A short timeout makes failovers quick.
    let cluster = try await LoneCluster.lender.lend(nodeTimeout: .milliseconds(1_500), tls: tls)
    var options = RedisClientOptions()
    change(&options)
    let result: Result<Void, any Error>
    do {
        try await withReactor { reactor in
            let client = RedisClient(reactor: reactor, endpoint: cluster.endpoint, options: options)
            let result: Result<Void, any Error>
            do { result = .success(try await body(client, cluster)) } catch { result = .failure(error) }
            await client.shutdown()
            try result.get()
        }
        result = .success(())
    } catch {
        result = .failure(error)
    }
    _ = await LoneCluster.lender.giveBack(cluster)
    try result.get()
}

extension RedisClient {
    func string(_ command: RedisCommand) async throws -> String? { try await value(command).string }
}

/// Returns a key of a third of the slots.
func key(inThird third: Int, _ number: Int = 0) -> String {
    for attempt in 0... {
        let key = "{\(third).\(attempt)}:\(number)"
        if Int(ClusterSlot.of(key)) * 3 / ClusterSlot.count == third { return key }
    }
    return ""
}

/// A flag that is set until `clear`.
final class Flag: Sendable {
    private let value = Atomic(true)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func clear() { value.store(false, ordering: .relaxed) }
}
