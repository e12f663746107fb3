-- delete-webhook (writes)
--
-- Deletes a webhook with all that waits for it, so many events at a time.
--
-- KEYS
--   webhook
--   queue: ids of events by when they are due
--   arrivals: ids of events by when they came
--   tries: by event
--   dead_letters: events that were given up
--   settings: the tenant's
--   attempts: of the webhook
-- ARGV
--   id: the webhook's
--   event_prefix: what the keys of events begin with
--   remembered: ms for which an event is
--   most: events at a time
-- Reply: 1 when nothing is left, 0 when it is to be called again, -1 when there is no such webhook
-- Includes: dead-letters, event-switch

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
