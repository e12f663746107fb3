-- forget-follower (writes)
--
-- Forgets what a user has said to a topic, and that the user was to be seen to, unless it was said later.
--
-- KEYS
--   topic
-- ARGV
--   user: insider_id
--   latest: epoch ms
-- Reply: 1 when there was anything, else 0
-- Includes: wishes

local _, is = wish_of(topic, user)
if is and struct.unpack('<I6', is, 2) > tonumber(latest) then return 0 end
local found = redis.call('ZREM', topic .. '/q', user) + redis.call('HDEL', topic .. '/h', user)
if not is then return found > 0 and 1 or 0 end
for _, key in ipairs(wish_keys(topic, user)) do redis.call('HDEL', key, user) end
if redis.call('EXISTS', topic) == 1 then
    redis.call('HINCRBY', topic, string.sub(is, 1, 1) == '1' and 'following' or 'unfollowed', -1)
end
return 1
