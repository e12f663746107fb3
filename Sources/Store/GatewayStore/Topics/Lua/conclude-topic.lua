-- conclude-topic (writes)
--
-- Records that a topic's activity has ended without a write of the topic, or that the present life cannot
-- have one. Either ends the present life, unless the activity belongs to an earlier one.
--
-- KEYS
--   topic
-- ARGV
--   driver: token of the caller
--   activity: '' for a life without one
--   reason: its name
--   now: epoch ms
-- Reply: flag
--   false if the caller does not drive the topic, or the topic has another activity

local is = redis.call('HMGET', topic, 'driver', 'activity', 'life', 'activity_life', 'state')
if is[1] ~= driver or (is[2] or '') ~= activity and activity ~= '' then return 0 end
redis.call('DEL', topic .. '/q', topic .. '/h')
if is[5] == 'live' and (activity == '' or is[3] == is[4]) then
    redis.call('HDEL', topic, 'digest')
    redis.call('HSET', topic, 'state', 'ended', 'concluded', reason, 'changed_at', now)
end
if activity ~= '' then redis.call('HSET', topic, 'over', '1') end
return 1
