-- forget-follower (writes)
--
-- Deletes a user's preference for a topic and the user's entry in its queue, unless the preference is newer.
--
-- KEYS
--   topic
-- ARGV
--   user: insider_id
--   latest: epoch ms
-- Reply: flag (true if there was anything to delete)
-- Includes: wishes, write-rights

local _, is = wish_of(topic, user)
if is and struct.unpack('<I6', is, 2) > tonumber(latest) then return 0 end
require_writes(topic, 'HDEL', 'HINCRBY', 'ZREM')
local found = redis.call('ZREM', topic .. '/q', user) + redis.call('HDEL', topic .. '/h', user)
if not is then return found > 0 and 1 or 0 end
for _, key in ipairs(wish_keys(topic, user)) do redis.call('HDEL', key, user) end
if redis.call('EXISTS', topic) == 1 then
    redis.call('HINCRBY', topic, string.sub(is, 1, 1) == '1' and 'following' or 'unfollowed', -1)
end
return 1
