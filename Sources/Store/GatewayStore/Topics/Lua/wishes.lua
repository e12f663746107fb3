-- wishes (part)
--
-- The preferences of users for a topic by their apps. A preference is '1' to follow or '0' not to, and the time of the
-- report in six bytes. The hashes have three levels, of 1, 128 and 16,384 hashes. Each hash stays small enough for
-- Redis to pack. The number of preferences decides the level of a new one, which it keeps.

local function wish_keys(topic, user)
    local hash = tonumber(string.sub(redis.sha1hex(user), 1, 6), 16)
    return { topic .. '/w', topic .. '/w1:' .. hash % 128, topic .. '/w2:' .. hash % 16384 }
end

-- Returns the key of the hash for a user's preference, and the preference; false for none.
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
