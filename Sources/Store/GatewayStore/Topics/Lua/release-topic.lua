-- release-topic (writes)
--
-- Leaves a topic to whoever is to drive it next, unless there is something to do for it now.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   driver: token of the caller
--   item: the topic's in the due queue
--   version: that the caller has seen to
--   now: epoch ms
--   next: when it is to be looked at again at the latest while it is live, epoch ms
--   hurry: '1' to come back then whatever there is to do
-- Reply: 0 when there is something to do, else the caller drives it no more: when it is due, epoch ms, or 1

if redis.call('HGET', topic, 'driver') ~= driver then return 1 end
local is = redis.call('HMGET', topic, 'version', 'state', 'relist')
-- Whoever was queued is looked at with all others when it goes live again.
if is[2] ~= 'live' then redis.call('DEL', topic .. '/q', topic .. '/h') end
local first = redis.call('ZRANGE', topic .. '/q', 0, 0, 'WITHSCORES')[2]
local is_listed = is[2] == 'live' and is[3]
if hurry ~= '1' and (is[1] ~= version or is_listed or first and tonumber(first) <= tonumber(now)) then return 0 end
redis.call('HDEL', topic, 'driver', 'driver_until')
if is[2] == 'live' or hurry == '1' then
    local at = tonumber(next)
    if first and hurry ~= '1' then at = math.min(at, tonumber(first)) end
    redis.call('ZADD', due, string.format('%.0f', at), item)
    return at
end
redis.call('ZREM', due, item)
return 1
