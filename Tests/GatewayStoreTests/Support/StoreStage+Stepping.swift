import Foundation
import Reactor
import RedisClient
import TestStore
import TimeCore

@testable import GatewayStore

extension StoreStage {
    /// Calls a body with a store whose commands pass one after the other.
    /// - Parameter step: Called before each command, which fails if it throws.
    func stepping(
        _ step: @escaping @Sendable () async throws -> Void,
        _ body: (GatewayStore) async throws -> Void
    ) async throws {
        let proxy = try CommandProxy(to: backend.endpoint)
        let isOn = Locked(false)
        proxy.serve { call, upstream in
            if isOn.withLock(\.self) {
                let (isDone, failure) = (DispatchSemaphore(value: 0), Locked<(any Error)?>(nil))
                Task {
                    do { try await step() } catch { failure.withLock { $0 = error } }
                    isDone.signal()
                }
                isDone.wait()
                if let error = failure.withLock(\.self) { throw error }
            }
            return try upstream.ask(call.raw)
        }
        var options = RedisClientOptions()
        options.scripts = GatewayStore.scripts
        options.commandDeadline = .seconds(30)
        let redis = RedisClient(reactor: reactor, endpoint: proxy.endpoint, options: options)
        let store = GatewayStore(redis: redis, wallClock: { self.now })
        _ = try await store.value(RedisCommand("PING"))
        isOn.withLock { $0 = true }
        try await body(store)
        await redis.shutdown()
        proxy.stop()
    }
}
