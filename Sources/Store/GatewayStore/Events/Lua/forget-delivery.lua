-- forget-delivery (writes)
--
-- Removes an event from a webhook, or replaces its data.
--
-- KEYS
--   webhook
-- ARGV
--   event_prefix: key prefix of events
--   id: the event's
--   data: '' to remove the event
--   remembered: ms for which an event's id is kept
-- Reply: flag (false if the event is not there)
-- Includes: dead-letters, write-rights

if data ~= '' then
    if redis.call('HEXISTS', event_prefix .. id, 'data') == 0 then return 0 end
    redis.call('HSET', event_prefix .. id, 'data', data)
    return 1
end
require_writes(webhook, 'HDEL', 'HINCRBY', 'PEXPIRE')
local count = redis.call('ZREM', webhook .. ':q', id) + redis.call('ZREM', webhook .. ':d', id)
redis.call('ZREM', webhook .. ':b', id)
redis.call('HDEL', webhook .. ':n', id)
if count == 0 then return 0 end
release(event_prefix, id, remembered)
return 1
