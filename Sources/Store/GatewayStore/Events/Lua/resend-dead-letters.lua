-- resend-dead-letters (writes)
--
-- Queues dead letters for delivery as new events.
--
-- KEYS
--   webhook
--   queue: event ids by due time
--   arrivals: event ids by arrival
--   tries: by event
--   dead_letters: event ids by the time of giving up
--   settings: the tenant's
-- ARGV
--   now: epoch ms
--   limit: limit of events if no ids follow
--   most_waiting: limit of pending events
--   ids...
-- Reply: int (number of queued events)
-- Includes: write-rights

require_writes(dead_letters, 'HDEL', 'ZADD')
local ids = { unpack(ARGV, ids_at) }
if #ids == 0 then ids = redis.call('ZRANGE', dead_letters, 0, limit - 1) end
local count = 0
for _, id in ipairs(ids) do
    if redis.call('ZCARD', queue) >= tonumber(most_waiting) then break end
    if redis.call('ZREM', dead_letters, id) == 1 then
        redis.call('HDEL', tries, id)
        redis.call('ZADD', queue, now, id)
        redis.call('ZADD', arrivals, now, id)
        count = count + 1
    end
end
return count
