-- lease-topic (writes)
--
-- Takes or renews the lease to drive a topic, and reads the topic. Only the driver makes the topic's broadcasts and
-- gives its followers slots, and each of these steps checks the lease. If another gateway holds the lease, the topic
-- becomes due when that lease expires.
--
-- KEYS
--   topic
--   due: queue
-- ARGV
--   driver: token of the caller
--   item: of the topic in the due queue
--   now: epoch ms
--   until_then: expiry of the lease, epoch ms
-- Reply: one of
--   no_topic = 0
--   taken = 2 {due: int}: epoch ms at which the lease of another gateway expires
--   leased = 1 {topic: fields}: the topic's hash

local is = redis.call('HMGET', topic, 'state', 'driver', 'driver_until')
if not is[1] then return 0 end
if is[2] and is[2] ~= driver and tonumber(is[3] or '0') > tonumber(now) then
  redis.call('ZADD', due, 'LT', is[3], item)
  return { 2, tonumber(is[3]) }
end
redis.call('HSET', topic, 'driver', driver, 'driver_until', until_then)
return { 1, redis.call('HGETALL', topic) }
