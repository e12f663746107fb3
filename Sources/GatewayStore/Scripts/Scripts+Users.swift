import RedisClient

extension Scripts {
    /// How many fields a user's hash may have: it is read whole, and anybody with an app can write to it.
    static let fieldsOfUser = 512

    /// Writes a field of a user, unless it says the same already.
    ///
    /// KEYS: user. ARGV: field, value, from which byte on (1-based) the old and the new value are compared.
    /// Reply: -1 when the user's hash is full, 0 when nothing was written, 1 when it was and the user is in no activity, else the user's whole hash.
    static let changeUser = RedisScript(
        name: "change-user",
        source: """
            local old = redis.call('HGET', KEYS[1], ARGV[1])
            local from = tonumber(ARGV[3])
            if old and string.sub(old, from) == string.sub(ARGV[2], from) then return 0 end
            if not old and redis.call('HLEN', KEYS[1]) >= \(fieldsOfUser) then return -1 end
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
    /// given, and the rest of it is the token given.
    ///
    /// KEYS: user. ARGV: field, time in epoch ms, token. Reply: how many fields were dropped.
    static let dropToken = RedisScript(
        name: "drop-token",
        source: """
            local value = redis.call('HGET', KEYS[1], ARGV[1])
            if not value or string.sub(value, 7) ~= ARGV[3] then return 0 end
            local time = 0
            for index = 6, 1, -1 do time = time * 256 + string.byte(value, index) end
            if time > tonumber(ARGV[2]) then return 0 end
            redis.call('HINCRBY', KEYS[1], 'v', 1)
            return redis.call('HDEL', KEYS[1], ARGV[1])
            """)

    /// Notes the name that iOS gave to a card.
    ///
    /// KEYS: user. ARGV: field, value. Reply: 1, or 0 when the user's hash is full.
    static let nameCard = RedisScript(
        name: "name-card",
        source: """
            if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= \(fieldsOfUser) then
                return 0
            end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            return 1
            """)
}
