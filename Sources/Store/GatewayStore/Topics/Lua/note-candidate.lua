-- note-candidate (writes)
--
-- Records the activity that the driver is about to make for a topic. If the driver dies before the start, the next
-- driver can delete it.
--
-- KEYS
--   topic
-- ARGV
--   driver: token of the caller
--   activity: '' for none
-- Reply: one of
--   lost = 0: the caller does not drive the topic
--   noted = 1 {former: text}: the former candidate, '' for none

local is = redis.call('HMGET', topic, 'driver', 'candidate')
if is[1] ~= driver then return 0 end
if activity ~= '' then
    redis.call('HSET', topic, 'candidate', activity)
else
    redis.call('HDEL', topic, 'candidate')
end
return { 1, is[2] or '' }
