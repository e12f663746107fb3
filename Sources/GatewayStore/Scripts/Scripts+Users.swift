import RedisClient

extension Scripts {
    /// Writes a field of a user, unless it says the same already.
    ///
    /// KEYS: user. ARGV: field, value, from which byte on (1-based) the old and the new value are compared.
    /// Reply: 0 when nothing was written, 1 when it was and the user is in no activity, else the user's whole hash.
    static let changeUser = RedisScript(
        name: "change-user",
        source: """
            local old = redis.call('HGET', KEYS[1], ARGV[1])
            local from = tonumber(ARGV[3])
            if old and string.sub(old, from) == string.sub(ARGV[2], from) then return 0 end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            redis.call('HINCRBY', KEYS[1], 'v', 1)
            local all = redis.call('HGETALL', KEYS[1])
            for index = 1, #all, 2 do
                if string.sub(all[index], 1, 1) == 'm' then return all end
            end
            return 1
            """)

    /// Writes a membership, and says whether the user has changed since it was read: then the slots filled from what
    /// was read are out of date.
    ///
    /// KEYS: user. ARGV: membership field, value, version read ('' for none).
    /// Reply: 1 when the user is as it was read, else 0.
    static let join = RedisScript(
        name: "join",
        source: """
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            return (redis.call('HGET', KEYS[1], 'v') or '') == ARGV[3] and 1 or 0
            """)

    /// Drops a field whose value begins with a time (six bytes, little-endian), when that time is not later than the one
    /// given.
    ///
    /// KEYS: user. ARGV: field, time in epoch ms. Reply: how many fields were dropped.
    static let dropToken = RedisScript(
        name: "drop-token",
        source: """
            local value = redis.call('HGET', KEYS[1], ARGV[1])
            if not value then return 0 end
            local time = 0
            for index = 6, 1, -1 do time = time * 256 + string.byte(value, index) end
            if time > tonumber(ARGV[2]) then return 0 end
            redis.call('HINCRBY', KEYS[1], 'v', 1)
            return redis.call('HDEL', KEYS[1], ARGV[1])
            """)
}
