-- wishes (part)
--
-- What users have said to a topic by their apps: '1' for following it and '0' for not any more, and when it was
-- said in six bytes. They lie in hashes of three levels, one, 128 and 16,384 of them, so that each stays small
-- enough to be packed, however many follow: a new wish goes to the level that suits their number then, and stays
-- there.

local function wish_keys(topic, user)
    local hash = tonumber(string.sub(redis.sha1hex(user), 1, 6), 16)
    return { topic .. '/w', topic .. '/w1:' .. hash % 128, topic .. '/w2:' .. hash % 16384 }
end

-- The key that has a user's wish, or is to have it, and the wish.
local function wish_of(topic, user)
    local keys = wish_keys(topic, user)
    for _, key in ipairs(keys) do
        local is = redis.call('HGET', key, user)
        if is then return key, is end
    end
    local counts = redis.call('HMGET', topic, 'following', 'unfollowed')
    local count = (tonumber(counts[1]) or 0) + (tonumber(counts[2]) or 0)
    return keys[count < 100 and 1 or count < 12800 and 2 or 3], false
end
