import RedisClient

extension Scripts {
    /// Sets the provider token of a key when there is none, and tells which one there is.
    ///
    /// A token that the provider has called expired gives way to the offered one, but not more often than once in an
    /// interval by Redis's own clock: when the clocks of two gateways differ by hours, each takes the other's token for
    /// expired.
    ///
    /// KEYS: provider token. ARGV: issue time of the offered token ('' for none), sealed token, for how many ms it may
    /// be taken, issue time of the refused token ('' for none), the interval in seconds.
    /// Reply: {1} the offered one was set, {0, issue time, sealed token} another one is there, {2} there is none.
    static let exchangeProviderToken = RedisScript(
        name: "exchange-provider-token",
        source: """
            local function put()
                redis.call('DEL', KEYS[1])
                redis.call('HSET', KEYS[1], 'issued', ARGV[1], 'token', ARGV[2])
                redis.call('PEXPIRE', KEYS[1], ARGV[3])
            end

            local is = redis.call('HMGET', KEYS[1], 'issued', 'token', 'renewed')
            if not is[1] or not is[2] then
                if ARGV[1] == '' then return { 2 } end
                put()
                return { 1 }
            end
            if ARGV[1] ~= '' and is[1] == ARGV[4] then
                local now = tonumber(redis.call('TIME')[1])
                if now - (tonumber(is[3]) or 0) >= tonumber(ARGV[5]) then
                    put()
                    redis.call('HSET', KEYS[1], 'renewed', now)
                    return { 1 }
                end
            end
            return { 0, is[1], is[2] }
            """)
}
