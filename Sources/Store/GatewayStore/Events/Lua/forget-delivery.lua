-- forget-delivery (writes)
--
-- Takes an event from a webhook that waits for it, or gives it another text.
--
-- KEYS
--   webhook
-- ARGV
--   event_prefix: what the keys of events begin with
--   id: the event's
--   data: '' to take it away
--   remembered: ms for which an event is
-- Reply: 1, or 0 when the webhook has it no more
-- Includes: dead-letters

if data ~= '' then
    if redis.call('HEXISTS', event_prefix .. id, 'data') == 0 then return 0 end
    redis.call('HSET', event_prefix .. id, 'data', data)
    return 1
end
local count = redis.call('ZREM', webhook .. ':q', id) + redis.call('ZREM', webhook .. ':d', id)
redis.call('ZREM', webhook .. ':b', id)
redis.call('HDEL', webhook .. ':n', id)
if count == 0 then return 0 end
release(event_prefix, id, remembered)
return 1
