-- wish-writing (part)
--
-- Writes a user's preference for a topic, and counts it.
-- Includes: wishes

local function put_wish(topic, key, user, is, wish, reported)
    redis.call('HSET', key, user, wish .. struct.pack('<I6', reported))
    local names = { ['1'] = 'following', ['0'] = 'unfollowed' }
    if is then redis.call('HINCRBY', topic, names[string.sub(is, 1, 1)], -1) end
    redis.call('HINCRBY', topic, names[wish], 1)
    local level = string.match(key, '/w(%d):') or '0'
    if level > (redis.call('HGET', topic, 'levels') or '') then redis.call('HSET', topic, 'levels', level) end
end
