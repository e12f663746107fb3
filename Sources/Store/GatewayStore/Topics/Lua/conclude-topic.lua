-- conclude-topic (writes)
--
-- Takes in that a topic's activity is over without its topic's doing, which ends the topic's present life, or that the
-- activity of this life cannot be.
--
-- KEYS
--   topic
-- ARGV
--   driver: token of the caller
--   activity: '' when it has none
--   reason: by name
--   now: epoch ms
-- Reply: 1, or 0 when the caller does not drive the topic, or it has another activity

local is = redis.call('HMGET', topic, 'driver', 'activity', 'life', 'activity_life', 'state')
if is[1] ~= driver or (is[2] or '') ~= activity and activity ~= '' then return 0 end
if activity ~= '' then redis.call('HSET', topic, 'over', '1') end
if is[5] == 'live' and (activity == '' or is[3] == is[4]) then
    redis.call('HSET', topic, 'state', 'ended', 'concluded', reason, 'changed_at', now)
    redis.call('HDEL', topic, 'digest')
end
redis.call('DEL', topic .. '/q', topic .. '/h')
return 1
