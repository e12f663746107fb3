import RedisClient

extension Scripts {
    /// Adds fields to the record of a broadcast that is under way; a field that is there stays as it is.
    ///
    /// KEYS: broadcast. ARGV: fields and values. Reply: 1, or 0 when the broadcast has ended or is gone.
    static let noteBroadcast = RedisScript(
        name: "note-broadcast",
        source: """
            local state = redis.call('HGET', KEYS[1], 'state')
            if state ~= 'queued' and state ~= 'running' then return 0 end
            for index = 1, #ARGV, 2 do redis.call('HSETNX', KEYS[1], ARGV[index], ARGV[index + 1]) end
            return 1
            """)

    /// Notes whether a gateway can push, and tells how many others can.
    ///
    /// KEYS: health of all gateways. ARGV: gateway, '1' if it can, now in epoch ms, maximum age in ms.
    /// Reply: how many others have said within that time that they can.
    static let exchangePushHealth = RedisScript(
        name: "exchange-push-health",
        source: """
            local serving, now = 0, tonumber(ARGV[3])
            local all = redis.call('HGETALL', KEYS[1])
            for index = 1, #all, 2 do
                local can, at = string.match(all[index + 1], '^(%d):(%d+)$')
                if not at or now - at > 10 * ARGV[4] then
                    redis.call('HDEL', KEYS[1], all[index])
                elseif all[index] ~= ARGV[1] and can == '1' and now - at <= tonumber(ARGV[4]) then
                    serving = serving + 1
                end
            end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. ARGV[3])
            redis.call('PEXPIRE', KEYS[1], 10 * ARGV[4])
            return serving
            """)
}
