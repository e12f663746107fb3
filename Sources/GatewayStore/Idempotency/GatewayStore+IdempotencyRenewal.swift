import RedisClient
public import TimeCore

extension GatewayStore {
    /// Makes a claim hold for so long from now on, for work that takes its time.
    public func renew(_ key: IdempotencyKey, hold: TimeInterval) async throws(StoreError) {
        _ = try await value(RedisCommand("HSET", key.redisKey, "until", (wallClock() + hold).milliseconds))
    }
}
