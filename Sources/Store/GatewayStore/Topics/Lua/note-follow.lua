-- note-follow (writes)
--
-- Writes a user's preference for a topic beside the user, whom it creates if necessary. The field `w` marks users with
-- a preference: they need no device and outlive their last one.
--
-- KEYS
--   follows
--   erased: times of erasures
--   user
-- ARGV
--   topic: name
--   wish: '1' or '0'
--   most: the limit of topics of a user
--   reported: time of the report, in six bytes; a later request to follow stays
--   may: 'u' to create an unknown user
--   life: ms after which a preference is too old, '' for no limit
-- Reply: one of
--   noted = 1
--   made_user = 2
--   too_many = 0: the user follows as many topics as the limit allows
--   erased = -1: the user has been erased since the report
--   unknown = -2: the user is unknown and may not be created
--   too_old = -3
-- Includes: report-times

local erased_at = redis.call('HGET', erased, '')
if erased_at and is_newer(erased_at, 1, time_of(reported, 1) - 1) then return -1 end
if is_too_old(time_of(reported, 1), life) then return -3 end
local known = redis.call('HMGET', user, 'v', 'w')
local is_new = not known[1]
if is_new and may ~= 'u' then return -2 end
local followed_at = redis.call('HGET', follows, topic)
if not (followed_at and is_newer(followed_at, 1, time_of(reported, 1))) then
    if wish == '0' then
        redis.call('HDEL', follows, topic)
    else
        if not followed_at and redis.call('HLEN', follows) >= tonumber(most) then return 0 end
        redis.call('HSET', follows, topic, reported)
    end
end
if is_new then
    redis.call('HSET', user, 'v', '1', 'w', '1')
    return 2
end
if not known[2] then redis.call('HSET', user, 'w', '1') end
return 1
