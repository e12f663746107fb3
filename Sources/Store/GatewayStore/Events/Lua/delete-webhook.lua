-- delete-webhook (writes)
--
-- Deletes a webhook and its events, a limited number at a time.
--
-- KEYS
--   webhook
--   queue: event ids by due time
--   arrivals: event ids by arrival
--   tries: by event
--   dead_letters: event ids by the time of giving up
--   settings: the tenant's
--   attempts: of the webhook
-- ARGV
--   id: the webhook's
--   event_prefix: key prefix of events
--   remembered: ms for which an event's id is kept
--   most: events at a time
-- Reply: one of
--   deleted = 1: nothing is left
--   deleting = 0: the call must be repeated
--   unknown = -1: the webhook does not exist
-- Includes: dead-letters, event-switch, write-rights

require_writes(settings, 'DEL', 'HINCRBY', 'HSET', 'PEXPIRE', 'ZREM')
local is_known = redis.call('HDEL', settings, 'w:' .. id, 'x:' .. id) > 0
if redis.call('EXISTS', webhook, queue, arrivals, tries, dead_letters) == 0 then
    return is_known and 1 or -1
end
if is_known then switch(settings) end
for _, list in ipairs({ queue, dead_letters }) do
    for _, event in ipairs(redis.call('ZRANGE', list, 0, most - 1)) do
        redis.call('ZREM', list, event)
        release(event_prefix, event, remembered)
    end
end
if redis.call('EXISTS', queue, dead_letters) > 0 then return 0 end
redis.call('DEL', webhook, queue, arrivals, tries, dead_letters, attempts)
return 1
