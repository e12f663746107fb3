-- note-follow (writes)
--
-- Notes beside a user which topics the user has said to follow. Whoever says something of a topic is known from then
-- on, also without a device, and has the field `w`: such a user does not go with the last device.
--
-- KEYS
--   follows
--   erased: when the user was erased
--   user
-- ARGV
--   topic: its name
--   wish: '1' or '0'
--   most: how many topics there may be
--   reported: time of the report in six bytes; a later follow request stays
--   may: 'u' when a user who is not known may be made
--   life: ms after which a wish is not noted any more, '' for any time
-- Reply: 1, 2 when the user was made; 0 when there are as many topics as may be, -1 when the user has been erased
--   since, -2 when the user is not known and may not be made, -3 when the wish is too old
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
