-- settle-delivery (writes)
--
-- Records the outcome of a delivery attempt.
--
-- KEYS
--   webhook
--   queue: event ids by due time
--   arrivals: event ids by arrival
--   tries: by event
--   dead_letters: event ids by the time of giving up
--   settings: the tenant's
--   attempts: of the webhook, the newest first
-- ARGV
--   webhook_id
--   event_prefix: key prefix of events
--   id: the event's
--   outcome: `delivered`, `later`, `dead` or `gone`
--   now: epoch ms
--   again_at: due time of the next attempt, epoch ms
--   tried: attempts including this one
--   problem: reason of the failure
--   most_dead_letters: limit of dead letters
--   remembered: ms for which an event's id is kept
--   attempt: the stored form of this attempt
--   most_attempts: limit of stored attempts
--   attempts_lifetime: ms
-- Reply: flag (false if the webhook does not exist)
-- Includes: dead-letters, event-switch, write-rights

if redis.call('EXISTS', webhook) == 0 then return 0 end
-- An attempt is stored before it is counted.
require_writes(webhook, 'HDEL', 'HINCRBY', 'HSET', 'LTRIM', 'PEXPIRE', 'ZADD', 'ZREM')
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
-- The script counts, because concurrent attempts are settled in any order.
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
