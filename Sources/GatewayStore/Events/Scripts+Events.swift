import RedisClient

extension Scripts {
    /// What the scripts that handle events of webhooks share. An event's text is kept as long as a webhook may need it;
    /// `n` counts these.
    static let letters = """
        local function release(prefix, id, remembered)
            local key = prefix .. id
            if redis.call('HEXISTS', key, 'n') == 1 and redis.call('HINCRBY', key, 'n', -1) <= 0 then
                redis.call('HDEL', key, 'type', 'time', 'data', 'n')
                redis.call('PEXPIRE', key, remembered)
            end
        end

        -- Gives an event up. The oldest of too many goes for good.
        local function bury(webhook, prefix, id, now, most, remembered)
            redis.call('ZREM', webhook .. ':q', id)
            redis.call('ZREM', webhook .. ':b', id)
            redis.call('ZADD', webhook .. ':d', now, id)
            while redis.call('ZCARD', webhook .. ':d') > most do
                local oldest = redis.call('ZRANGE', webhook .. ':d', 0, 0)[1]
                redis.call('ZREM', webhook .. ':d', oldest)
                redis.call('HDEL', webhook .. ':n', oldest)
                redis.call('HINCRBY', webhook, 'dropped', 1)
                release(prefix, oldest, remembered)
            end
        end

        """

    /// Records events: in the stream, and for each webhook that wants them. One that was recorded before is passed over.
    ///
    /// KEYS: settings, stream. ARGV: what the keys of events begin with, and those of webhooks, the stream's length, the
    /// most events that wait for a webhook, the most that are given up, for how long in ms an event is remembered, and
    /// its text kept, now in epoch ms, the only webhook that is meant ('' for all and the stream), then id, type, epoch
    /// ms and data of each. Reply: how many were new.
    static let publishEvents = RedisScript(
        name: "publish-events",
        source: letters + """
            local settings = redis.call('HGETALL', KEYS[1])
            local stream, webhooks = false, {}
            for index = 1, #settings, 2 do
                local name, value = settings[index], settings[index + 1]
                if name == 'stream' then
                    stream = value == '1' and ARGV[9] == ''
                elseif string.sub(name, 1, 2) == 'w:' and (ARGV[9] == '' or ARGV[9] == string.sub(name, 3)) then
                    webhooks[#webhooks + 1] = { ARGV[2] .. string.sub(name, 3), ',' .. value .. ',' }
                end
            end
            if not stream and #webhooks == 0 then return 0 end
            local count = 0
            for position = 10, #ARGV, 4 do
                local id, type, time, data = ARGV[position], ARGV[position + 1], ARGV[position + 2], ARGV[position + 3]
                local key = ARGV[1] .. id
                if redis.call('HSETNX', key, 'at', ARGV[8]) == 1 then
                    count = count + 1
                    if stream then
                        redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], '*', 'id', id, 'type', type, 'timestamp',
                            time, 'data', data)
                    end
                    local wanted = {}
                    for _, webhook in ipairs(webhooks) do
                        if ARGV[9] ~= '' or webhook[2] == ',*,' or
                            string.find(webhook[2], ',' .. type .. ',', 1, true) then
                            wanted[#wanted + 1] = webhook[1]
                        end
                    end
                    if #wanted > 0 then
                        redis.call('HSET', key, 'type', type, 'time', time, 'data', data, 'n', #wanted)
                    end
                    redis.call('PEXPIRE', key, #wanted > 0 and ARGV[7] or ARGV[6])
                    for _, webhook in ipairs(wanted) do
                        if redis.call('ZCARD', webhook .. ':q') < tonumber(ARGV[4]) then
                            redis.call('ZADD', webhook .. ':q', ARGV[8], id)
                            redis.call('ZADD', webhook .. ':b', ARGV[8], id)
                        else
                            redis.call('HSET', webhook .. ':n', id, '0:too many events waited')
                            bury(webhook, ARGV[1], id, ARGV[8], tonumber(ARGV[5]), ARGV[6])
                        end
                    end
                end
            end
            return count
            """)

    /// What `on` must be after a change; for use within other scripts.
    static let switchEvents = """
        local function switch(key)
            local on = '0'
            local settings = redis.call('HGETALL', key)
            for index = 1, #settings, 2 do
                local name = settings[index]
                if name == 'stream' and settings[index + 1] == '1' or string.sub(name, 1, 2) == 'w:' then on = '1' end
            end
            redis.call('HSET', key, 'on', on)
        end

        """

    /// Switches the stream on or off.
    ///
    /// KEYS: settings, stream. ARGV: '1' or '0'.
    static let switchStream = RedisScript(
        name: "switch-stream",
        source: switchEvents + """
            redis.call('HSET', KEYS[1], 'stream', ARGV[1])
            switch(KEYS[1])
            return 1
            """)

    /// Pages of a partition whose events have not been published.
    ///
    /// KEYS: untold pages. ARGV: how many at most. Reply: field and value of each.
    static let unpublishedPages = RedisScript(
        name: "unpublished-pages",
        source: """
            local found = {}
            for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                if #found >= 2 * ARGV[1] then break end
                found[#found + 1] = field
                found[#found + 1] = redis.call('HGET', KEYS[1], field)
            end
            return found
            """)
}
