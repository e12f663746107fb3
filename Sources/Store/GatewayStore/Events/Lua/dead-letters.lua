-- dead-letters (part)
--
-- The retention of webhooks' events. An event's text is kept while a webhook may need it; `n` counts these webhooks.

local function release(prefix, id, remembered)
    local key = prefix .. id
    if redis.call('HEXISTS', key, 'n') == 1 and redis.call('HINCRBY', key, 'n', -1) <= 0 then
        redis.call('HDEL', key, 'type', 'time', 'data', 'n')
        redis.call('PEXPIRE', key, remembered)
    end
end

-- Moves an event to the dead letters, and drops the oldest ones beyond `most`.
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
