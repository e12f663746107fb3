-- note-follow (writes)
--
-- Notes beside a user which topics the user has said to follow.
--
-- KEYS
--   follows
--   erased: when the user was erased
-- ARGV
--   topic: its name
--   wish: '1' or '0'
--   most: how many topics there may be
--   reported: when that was said, in six bytes
-- Reply: 1, 0 when there are as many as may be, -1 when the user has been erased since
-- Includes: report-times

local erased_at = redis.call('HGET', erased, '')
if erased_at and is_newer(erased_at, 1, time_of(reported, 1) - 1) then return -1 end
if wish == '0' then
    redis.call('HDEL', follows, topic)
    return 1
end
if redis.call('HGET', follows, topic) == '1' then return 1 end
if redis.call('HLEN', follows) >= tonumber(most) and redis.call('HEXISTS', follows, topic) == 0 then return 0 end
redis.call('HSET', follows, topic, wish)
return 1
