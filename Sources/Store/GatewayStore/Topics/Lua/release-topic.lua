-- release-topic (writes)
--
-- Releases the lease to drive a topic, unless there is work for it now.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   driver: token of the caller
--   item: of the topic in the due queue
--   version: that the caller has processed
--   now: epoch ms
--   next: latest due time while it is live, epoch ms
--   hurry: '1' to release it in any case until that time
-- Reply: int
--   0 if there is work, else the lease is released: the due time, epoch ms, or 1

if redis.call('HGET', topic, 'driver') ~= driver then return 1 end
local is = redis.call('HMGET', topic, 'version', 'state', 'relist')
-- All followers are processed when the topic goes live again, so the queue is deleted.
if is[2] ~= 'live' then redis.call('DEL', topic .. '/q', topic .. '/h') end
local first = redis.call('ZRANGE', topic .. '/q', 0, 0, 'WITHSCORES')[2]
local is_listed = is[2] == 'live' and is[3]
if hurry ~= '1' and (is[1] ~= version or is_listed or first and tonumber(first) <= tonumber(now)) then return 0 end
if is[2] == 'live' or hurry == '1' then
    local at = tonumber(next)
    if first and hurry ~= '1' then at = math.min(at, tonumber(first)) end
    redis.call('ZADD', due, string.format('%.0f', at), item)
    redis.call('HDEL', topic, 'driver', 'driver_until')
    return at
end
redis.call('ZREM', due, item)
redis.call('HDEL', topic, 'driver', 'driver_until')
return 1
