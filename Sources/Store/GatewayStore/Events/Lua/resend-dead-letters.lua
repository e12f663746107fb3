-- resend-dead-letters (writes)
--
-- Has events that were given up tried again, as if they had just come.
--
-- KEYS
--   webhook
--   queue: ids of events by when they are due
--   arrivals: ids of events by when they came
--   tries: by event
--   dead_letters: events that were given up
--   settings: the tenant's
-- ARGV
--   now: epoch ms
--   limit: how many at most, when no ids follow
--   most_waiting: events that wait
--   ids...
-- Reply: how many

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
