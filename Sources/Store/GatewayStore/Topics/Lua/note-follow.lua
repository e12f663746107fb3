-- note-follow (writes)
--
-- Notes beside a user which topics the user has said to follow.
--
-- KEYS
--   follows
-- ARGV
--   topic: its name
--   wish: '1' or '0'
--   most: how many topics there may be
-- Reply: 1, or 0 when there are as many as may be

if wish == '0' then
    redis.call('HDEL', follows, topic)
    return 1
end
if redis.call('HGET', follows, topic) == '1' then return 1 end
if redis.call('HLEN', follows) >= tonumber(most) and redis.call('HEXISTS', follows, topic) == 0 then return 0 end
redis.call('HSET', follows, topic, wish)
return 1
