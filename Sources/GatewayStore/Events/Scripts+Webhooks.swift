import RedisClient

extension Scripts {
    static let events: [RedisScript] = [
        publishEvents, switchStream, unpublishedPages, addWebhook, changeWebhook, deleteWebhook, rotateWebhook,
        findDeliveries, takeDeliveries, settleDelivery,
        resendLetters,
    ]

    /// Makes a webhook, if the tenant may have one more.
    ///
    /// KEYS: settings, webhook. ARGV: its id, the most that there may be, types, then fields and values.
    /// Reply: 1, or 0 when there are too many.
    static let addWebhook = RedisScript(
        name: "add-webhook",
        source: switchEvents + """
            local count = 0
            for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
                if string.match(name, '^[wx]:') then count = count + 1 end
            end
            if count >= tonumber(ARGV[2]) then return 0 end
            redis.call('HSET', KEYS[1], 'w:' .. ARGV[1], ARGV[3])
            redis.call('HSET', KEYS[2], 'types', ARGV[3], 'enabled', '1', unpack(ARGV, 4))
            switch(KEYS[1])
            return 1
            """)

    /// Changes a webhook.
    ///
    /// KEYS: webhook and its queues, settings. ARGV: its id, url ('' to leave it), types ('' to leave them), whether it
    /// is switched on ('' to leave that). Reply: 1, or 0 when there is none.
    static let changeWebhook = RedisScript(
        name: "change-webhook",
        source: switchEvents + """
            if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
            if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'url', ARGV[2]) end
            if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'types', ARGV[3]) end
            if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'enabled', ARGV[4]) end
            -- Whoever changes it has mended it.
            redis.call('HSET', KEYS[1], 'failures', 0)
            local is = redis.call('HMGET', KEYS[1], 'types', 'enabled')
            redis.call('HDEL', KEYS[6], 'w:' .. ARGV[1], 'x:' .. ARGV[1])
            if is[2] == '1' then redis.call('HDEL', KEYS[1], 'reason') end
            redis.call('HSET', KEYS[6], (is[2] == '1' and 'w:' or 'x:') .. ARGV[1], is[1])
            switch(KEYS[6])
            return 1
            """)

    /// Deletes a webhook with all that waits for it, so many events at a time.
    ///
    /// KEYS: webhook and its queues, settings. ARGV: its id, what the keys of events begin with, for how long in ms an
    /// event is remembered, how many events. Reply: 1 when nothing is left, 0 when it is to be called again, -1 when there
    /// is no such webhook.
    static let deleteWebhook = RedisScript(
        name: "delete-webhook",
        source: letters + switchEvents + """
            local is_known = redis.call('HDEL', KEYS[6], 'w:' .. ARGV[1], 'x:' .. ARGV[1]) > 0
            if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]) == 0 then
                return is_known and 1 or -1
            end
            if is_known then switch(KEYS[6]) end
            for _, queue in ipairs({ KEYS[2], KEYS[5] }) do
                for _, id in ipairs(redis.call('ZRANGE', queue, 0, ARGV[4] - 1)) do
                    redis.call('ZREM', queue, id)
                    release(ARGV[2], id, ARGV[3])
                end
            end
            if redis.call('EXISTS', KEYS[2], KEYS[5]) > 0 then return 0 end
            redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])
            return 1
            """)

    /// Gives a webhook a new secret; the present one stays in force for a while.
    ///
    /// KEYS: webhook. ARGV: sealed secret, until when the present one is in force in epoch ms, what the change is
    /// called. Reply: 1 or 0.
    static let rotateWebhook = RedisScript(
        name: "rotate-webhook",
        source: """
            local old = redis.call('HGET', KEYS[1], 'secret')
            if not old then return 0 end
            redis.call('HSET', KEYS[1], 'secret', ARGV[1], 'old_secret', old, 'old_until', ARGV[2],
                'rotation', ARGV[3])
            return 1
            """)

    /// Makes a gateway the one that delivers a tenant's events, or keeps it so, and tells which webhooks have something
    /// to do.
    ///
    /// KEYS: settings, lease. ARGV: gateway, the lease in ms, what the keys of webhooks begin with, now in epoch ms, the
    /// time before which events are given up, and before which those that were are forgotten.
    /// Reply: nil when another gateway has the lease, else {whether there are webhooks, id ...}.
    static let findDeliveries = RedisScript(
        name: "find-deliveries",
        source: """
            local holder = redis.call('GET', KEYS[2])
            if holder and holder ~= ARGV[1] then return false end
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
            local found, is_any = {}, '0'
            for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
                if string.match(name, '^[wx]:') then is_any = '1' end
                if string.sub(name, 1, 2) == 'w:' then
                    local webhook = ARGV[3] .. string.sub(name, 3)
                    local function has(queue, time)
                        local first = redis.call('ZRANGE', webhook .. queue, 0, 0, 'WITHSCORES')[2]
                        return first and tonumber(first) <= tonumber(time)
                    end
                    if has(':q', ARGV[4]) or has(':b', ARGV[5]) or has(':d', ARGV[6]) then
                        found[#found + 1] = string.sub(name, 3)
                    end
                end
            end
            return { is_any, unpack(found) }
            """)

    /// Reads events of a webhook that are due. Those that were not delivered in time are given up first, and what was
    /// given up long ago is forgotten.
    ///
    /// KEYS: webhook and its queues. ARGV: what the keys of events begin with, now in epoch ms, the time before which
    /// events are given up, and before which those that were are forgotten, how many are wanted, the most that are given
    /// up, for how long in ms an event is remembered, then ids that are under way.
    /// Reply: {fields of the webhook, id, type, time, data, since, attempts, id ...}.
    static let takeDeliveries = RedisScript(
        name: "take-deliveries",
        source: letters + """
            local under_way = {}
            for position = 8, #ARGV do under_way[ARGV[position]] = true end
            for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[3], 'LIMIT', 0, 100)) do
                if not under_way[id] then bury(KEYS[1], ARGV[1], id, ARGV[2], tonumber(ARGV[6]), ARGV[7]) end
            end
            for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', ARGV[4], 'LIMIT', 0, 100)) do
                redis.call('ZREM', KEYS[5], id)
                redis.call('HDEL', KEYS[4], id)
                release(ARGV[1], id, ARGV[7])
            end
            local wanted = tonumber(ARGV[5])
            local reply = { redis.call('HGETALL', KEYS[1]) }
            if wanted <= 0 then return reply end
            local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[2], 'LIMIT', 0, wanted + #ARGV - 7)
            for _, id in ipairs(due) do
                if not under_way[id] and wanted > 0 then
                    local event = redis.call('HMGET', ARGV[1] .. id, 'type', 'time', 'data')
                    if event[1] and event[2] and event[3] then
                        local tried = redis.call('HGET', KEYS[4], id) or '0'
                        for _, value in ipairs({ id, event[1], event[2], event[3],
                            redis.call('ZSCORE', KEYS[3], id) or ARGV[2], string.match(tried, '^%d+') or '0' }) do
                            reply[#reply + 1] = value
                        end
                        wanted = wanted - 1
                    else
                        redis.call('ZREM', KEYS[2], id)
                        redis.call('ZREM', KEYS[3], id)
                        redis.call('HDEL', KEYS[4], id)
                    end
                end
            end
            return reply
            """)

    /// Writes what became of a try.
    ///
    /// KEYS: webhook and its queues, settings. ARGV: the webhook's id, what the keys of events begin with, event, outcome
    /// (`delivered`, `later`, `dead`, `gone`), now in epoch ms, when to try again, tries so far, what went wrong, failures
    /// in a row, the most events that are given up, for how long in ms an event is remembered.
    static let settleDelivery = RedisScript(
        name: "settle-delivery",
        source: letters + switchEvents + """
            local id, outcome = ARGV[3], ARGV[4]
            if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
            local waits = redis.call('ZSCORE', KEYS[2], id)
            if outcome == 'delivered' then
                local count = redis.call('ZREM', KEYS[2], id) + redis.call('ZREM', KEYS[5], id)
                redis.call('ZREM', KEYS[3], id)
                redis.call('HDEL', KEYS[4], id)
                if count > 0 then release(ARGV[2], id, ARGV[11]) end
                redis.call('HINCRBY', KEYS[1], 'delivered', 1)
                redis.call('HSET', KEYS[1], 'failures', 0, 'last_delivery', ARGV[5])
                return 1
            end
            redis.call('HINCRBY', KEYS[1], 'failed', 1)
            redis.call('HSET', KEYS[1], 'failures', ARGV[9], 'last_failure', ARGV[5], 'last_error', ARGV[8])
            if waits then
                redis.call('HSET', KEYS[4], id, ARGV[7] .. ':' .. ARGV[8])
                if outcome == 'later' then
                    redis.call('ZADD', KEYS[2], ARGV[6], id)
                else
                    bury(KEYS[1], ARGV[2], id, ARGV[5], tonumber(ARGV[10]), ARGV[11])
                end
            end
            if outcome == 'gone' then
                redis.call('HSET', KEYS[1], 'enabled', '0', 'reason', 'the receiver answered 410')
                local types = redis.call('HGET', KEYS[6], 'w:' .. ARGV[1])
                if types then
                    redis.call('HDEL', KEYS[6], 'w:' .. ARGV[1])
                    redis.call('HSET', KEYS[6], 'x:' .. ARGV[1], types)
                    switch(KEYS[6])
                end
            end
            return 1
            """)

    /// Has events that were given up tried again, as if they had just come.
    ///
    /// KEYS: webhook and its queues. ARGV: now in epoch ms, how many at most (when no ids follow), the most events that
    /// wait, then ids. Reply: how many.
    static let resendLetters = RedisScript(
        name: "resend-letters",
        source: """
            local ids = { unpack(ARGV, 4) }
            if #ids == 0 then ids = redis.call('ZRANGE', KEYS[5], 0, ARGV[2] - 1) end
            local count = 0
            for _, id in ipairs(ids) do
                if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then break end
                if redis.call('ZREM', KEYS[5], id) == 1 then
                    redis.call('HDEL', KEYS[4], id)
                    redis.call('ZADD', KEYS[2], ARGV[1], id)
                    redis.call('ZADD', KEYS[3], ARGV[1], id)
                    count = count + 1
                end
            end
            return count
            """)
}
