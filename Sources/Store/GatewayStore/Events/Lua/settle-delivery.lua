-- settle-delivery (writes)
--
-- Writes what became of a try.
--
-- KEYS
--   webhook
--   queue: ids of events by when they are due
--   arrivals: ids of events by when they came
--   tries: by event
--   dead_letters: events that were given up
--   settings: the tenant's
--   attempts: of the webhook, the newest first
-- ARGV
--   webhook_id
--   event_prefix: what the keys of events begin with
--   id: the event's
--   outcome: `delivered`, `later`, `dead` or `gone`
--   now: epoch ms
--   again_at: epoch ms
--   tried: how often so far
--   problem: what went wrong
--   most_dead_letters: events that are given up
--   remembered: ms for which an event is
--   attempt: what is kept of this try
--   most_attempts: that are kept
--   attempts_lifetime: ms
-- Reply: 1, or 0 when there is no such webhook
-- Includes: dead-letters, event-switch

if redis.call('EXISTS', webhook) == 0 then return 0 end
redis.call('LPUSH', attempts, attempt)
redis.call('LTRIM', attempts, 0, most_attempts - 1)
redis.call('PEXPIRE', attempts, attempts_lifetime)
local waits = redis.call('ZSCORE', queue, id)
if outcome == 'delivered' then
    local count = redis.call('ZREM', queue, id) + redis.call('ZREM', dead_letters, id)
    redis.call('ZREM', arrivals, id)
    redis.call('HDEL', tries, id)
    if count > 0 then release(event_prefix, id, remembered) end
    redis.call('HINCRBY', webhook, 'delivered', 1)
    redis.call('HSET', webhook, 'failures', 0, 'last_delivery', now)
    return 1
end
redis.call('HINCRBY', webhook, 'failed', 1)
-- Counted here: tries that end together are settled in any order.
redis.call('HINCRBY', webhook, 'failures', 1)
redis.call('HSET', webhook, 'last_failure', now, 'last_error', problem)
if waits then
    redis.call('HSET', tries, id, tried .. ':' .. problem)
    if outcome == 'later' then
        redis.call('ZADD', queue, again_at, id)
    else
        bury(webhook, event_prefix, id, now, tonumber(most_dead_letters), remembered)
    end
end
if outcome == 'gone' then
    redis.call('HSET', webhook, 'enabled', '0', 'reason', 'the receiver answered 410')
    local types = redis.call('HGET', settings, 'w:' .. webhook_id)
    if types then
        redis.call('HDEL', settings, 'w:' .. webhook_id)
        redis.call('HSET', settings, 'x:' .. webhook_id, types)
        switch(settings)
    end
end
return 1
