-- lease-topic (writes)
--
-- Makes the caller the one who drives a topic, for a while, and reads it. Whoever drives it alone makes its
-- broadcasts and gives its followers places, and each of these steps looks whether it still does. While another one
-- drives it, its item is due when that one must have been heard of: it may be gone.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   driver: token of the caller
--   item: the topic's in the due queue
--   now: epoch ms
--   until_then: epoch ms
-- Reply: nil when there is no such topic, when it is due (epoch ms) when another one drives it, else the topic's hash

local is = redis.call('HMGET', topic, 'state', 'driver', 'driver_until')
if not is[1] then return false end
if is[2] and is[2] ~= driver and tonumber(is[3] or '0') > tonumber(now) then
  redis.call('ZADD', due, 'LT', is[3], item)
  return tonumber(is[3])
end
redis.call('HSET', topic, 'driver', driver, 'driver_until', until_then)
return redis.call('HGETALL', topic)
