import RedisClient

extension Scripts {
    /// Changes a field of a tenant. Every change gives the tenant's hash a higher revision, by which what is written of
    /// it elsewhere keeps its order.
    ///
    /// KEYS: tenant. ARGV: field, value. Reply: nil when there is no such tenant, else Redis's time in epoch ms and the
    /// hash.
    static let changeTenant = RedisScript(
        name: "change-tenant",
        source: """
            if redis.call('EXISTS', KEYS[1]) == 0 then return false end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            redis.call('HINCRBY', KEYS[1], 'revision', 1)
            local time = redis.call('TIME')
            return { time[1] * 1000 + math.floor(time[2] / 1000), redis.call('HGETALL', KEYS[1]) }
            """)

    /// Puts a fresh secret in place of the present one, if that is the one that the caller has seen: of any number of
    /// rotations at once one succeeds. When the overlap is over only the fresh one counts: secrets that were replaced
    /// before and still count do so no longer than the present one.
    ///
    /// KEYS: tenant. ARGV: kind, hash of the present secret, hash of the fresh one, overlap in ms, how many replaced ones
    /// may still count.
    /// Reply: 0 no such tenant, 1 rotated by somebody else, 2 too many, else as `changeTenant`.
    static let rotateSecret = RedisScript(
        name: "rotate-secret",
        source: """
            local is = redis.call('HMGET', KEYS[1], ARGV[1], ARGV[1] .. '_old')
            if not is[1] then return 0 end
            if is[1] ~= ARGV[2] then return 1 end
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local latest = now + tonumber(ARGV[4])
            local old, live = {}, 0
            for hash, ends in string.gmatch(is[1] .. ':' .. string.format('%.0f', latest) .. ',' .. (is[2] or ''),
                '(%x+):(%d+)')
            do
                ends = math.min(tonumber(ends), latest)
                if ends > now then live = live + 1 end
                old[#old + 1] = hash .. ':' .. string.format('%.0f', ends)
            end
            if live > tonumber(ARGV[5]) then return 2 end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], ARGV[1] .. '_old', table.concat(old, ','))
            redis.call('HINCRBY', KEYS[1], 'revision', 1)
            return { now, redis.call('HGETALL', KEYS[1]) }
            """)

    /// Takes replaced secrets that count no more, and are written off everywhere, out of a tenant's hash.
    ///
    /// KEYS: tenant. ARGV: kind, hashes.
    static let forgetSecrets = RedisScript(
        name: "forget-secrets",
        source: """
            local gone = {}
            for index = 2, #ARGV do gone[ARGV[index]] = true end
            local left = {}
            for hash, ends in string.gmatch(redis.call('HGET', KEYS[1], ARGV[1] .. '_old') or '', '(%x+):(%d+)') do
                if not gone[hash] then left[#left + 1] = hash .. ':' .. ends end
            end
            if #left > 0 then
                redis.call('HSET', KEYS[1], ARGV[1] .. '_old', table.concat(left, ','))
            else
                redis.call('HDEL', KEYS[1], ARGV[1] .. '_old')
            end
            return 1
            """)

    /// Writes what a request needs to know of its key, unless something newer stands there. A revoked key leaves its
    /// revision behind for an hour, so that nobody who is late brings it back.
    ///
    /// KEYS: credential. ARGV: the tenant's revision, until when the key counts in epoch ms ('' for good, 0 revoked),
    /// fields and values.
    static let putCredential = RedisScript(
        name: "put-credential",
        source: """
            local revision = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0)
            if revision > tonumber(ARGV[1]) then return 0 end
            if ARGV[2] == '0' then
                redis.call('DEL', KEYS[1])
                redis.call('HSET', KEYS[1], 'revision', ARGV[1])
                redis.call('PEXPIRE', KEYS[1], 3600000)
                return 1
            end
            redis.call('HSET', KEYS[1], 'revision', ARGV[1], unpack(ARGV, 3))
            if ARGV[2] == '' then
                redis.call('PERSIST', KEYS[1])
            else
                redis.call('PEXPIREAT', KEYS[1], ARGV[2])
            end
            return 1
            """)
}
