import RedisClient

extension Scripts {
    /// Claims an idempotency key, or tells what is known of it.
    ///
    /// KEYS: idempotency record. ARGV: hash of the body, proposed id, now and until when the claim holds in epoch ms, how
    /// long the key is kept in ms.
    /// Reply: {1, id} claimed, {2} used with another body, {3, status, reply} answered before, {0, id} the first is
    /// under way.
    static let claimIdempotencyKey = RedisScript(
        name: "claim-idempotency-key",
        source: """
            local is = redis.call('HMGET', KEYS[1], 'body', 'status', 'reply', 'id', 'until')
            if not is[1] or not is[4] then
                redis.call('HSET', KEYS[1], 'body', ARGV[1], 'id', ARGV[2], 'until', ARGV[4])
                redis.call('PEXPIRE', KEYS[1], ARGV[5])
                return { 1, ARGV[2] }
            end
            if is[1] ~= ARGV[1] then return { 2 } end
            if is[2] then return { 3, is[2], is[3] } end
            if tonumber(is[5]) > tonumber(ARGV[3]) then return { 0, is[4] } end
            redis.call('HSET', KEYS[1], 'until', ARGV[4])
            return { 1, is[4] }
            """)
}
