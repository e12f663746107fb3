import RedisClient

// Who reported a push-to-start token last: see `TokenIndex`. An entry is the time of the newest report in six bytes, the
// length of its owner and the owner, and behind that, in the same way, those who are still to be told that it is theirs no
// more.
extension Scripts {
    /// Makes whoever reports a token its owner, unless another one has reported it later.
    ///
    /// KEYS: bucket. ARGV: field, owner, when the report was received in six bytes, how many fields the bucket may have (''
    /// for any number).
    /// Reply: -1 when another one reported it later, -2 when the bucket was full once and does not have it; else the owners
    /// that it must be taken away from.
    static let claimToken = RedisScript(
        name: "claim-token",
        source: versions + """
            local key, field, owner, time, capacity = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
            local is = redis.call('HGET', key, field)
            if not is then
                if capacity ~= '' then
                    -- Full once, full for ever: no entry is made in two buckets.
                    if redis.call('HEXISTS', key, 'f') == 1 then return -2 end
                    if redis.call('HLEN', key) >= tonumber(capacity) then
                        redis.call('HSET', key, 'f', '')
                        return -2
                    end
                end
                redis.call('HSET', key, field, time .. string.char(#owner) .. owner)
                return {}
            end
            local is_older = is_newer(is, 1, time_of(time, 1))
            local formers, at, isOwner = {}, 7, false
            while at <= #is do
                local length = string.byte(is, at)
                local one = string.sub(is, at + 1, at + length)
                if at == 7 then isOwner = one == owner end
                if one ~= owner and not (at == 7 and isOwner) then formers[#formers + 1] = one end
                at = at + 1 + length
            end
            if is_older then
                if not isOwner then return -1 end
                return formers
            end
            local entry = { time, string.char(#owner), owner }
            for _, former in ipairs(formers) do
                if #entry >= \(2 * TokenIndex.maximumFormers + 3) then break end
                entry[#entry + 1] = string.char(#former)
                entry[#entry + 1] = former
            end
            redis.call('HSET', key, field, table.concat(entry))
            return formers
            """)

    /// Notes that a former owner has been told.
    ///
    /// KEYS: bucket. ARGV: field, former owner. Reply: 1, or 0 when it was noted before.
    static let settleToken = RedisScript(
        name: "settle-token",
        source: """
            local is = redis.call('HGET', KEYS[1], ARGV[1])
            if not is then return 0 end
            local at = 8 + string.byte(is, 7)
            while at <= #is do
                local length = string.byte(is, at)
                if string.sub(is, at + 1, at + length) == ARGV[2] then
                    local rest = string.sub(is, at + 1 + length)
                    redis.call('HSET', KEYS[1], ARGV[1], string.sub(is, 1, at - 1) .. rest)
                    return 1
                end
                at = at + 1 + length
            end
            return 0
            """)

    /// Forgets a token that its owner has no more.
    ///
    /// KEYS: bucket. ARGV: field, a time in six bytes ('' for any), the owner's spellings. Reply: 1, or 0 when it is not
    /// the owner's, was reported later, or is nowhere in the bucket.
    static let releaseToken = RedisScript(
        name: "release-token",
        source: versions + """
            local is = redis.call('HGET', KEYS[1], ARGV[1])
            if not is or ARGV[2] ~= '' and time_of(is, 1) > time_of(ARGV[2], 1) then return 0 end
            local owner = string.sub(is, 8)
            if owner ~= ARGV[3] and owner ~= ARGV[4] then return 0 end
            return redis.call('HDEL', KEYS[1], ARGV[1])
            """)
}
