import RedisClient

extension Scripts {
    /// Claims an idempotency key, or tells what is known of it.
    ///
    /// KEYS: idempotency record. ARGV: hash of the body, how long the claim holds in ms.
    /// Reply: {1} claimed, {2} used with another body, {3, status, reply} answered before, {0} the first is under way.
    static let claimIdempotencyKey = RedisScript(
        name: "claim-idempotency-key",
        source: """
            local is = redis.call('HMGET', KEYS[1], 'body', 'status', 'reply')
            if not is[1] then
                redis.call('HSET', KEYS[1], 'body', ARGV[1])
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
                return { 1 }
            end
            if is[1] ~= ARGV[1] then return { 2 } end
            if is[2] then return { 3, is[2], is[3] } end
            return { 0 }
            """)
}
