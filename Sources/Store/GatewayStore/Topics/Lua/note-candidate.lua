-- note-candidate (writes)
--
-- Names the activity that is being made for a topic: until it is started it is nobody else's, and one that was made by
-- somebody who is gone can be taken away.
--
-- KEYS
--   topic
-- ARGV
--   driver: token of the caller
--   activity: '' for none
-- Reply: -1 when the caller does not drive the topic, else the one that was named before, or ''

local is = redis.call('HMGET', topic, 'driver', 'candidate')
if is[1] ~= driver then return -1 end
if activity ~= '' then
    redis.call('HSET', topic, 'candidate', activity)
else
    redis.call('HDEL', topic, 'candidate')
end
return is[2] or ''
