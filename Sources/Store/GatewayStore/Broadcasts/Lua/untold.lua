-- untold (part)
--
-- The events of a page, kept in `e:` fields until they are published.

-- Writes the field if it is one of these. Returns false otherwise.
local function keep_untold(key, name, value, expires_at)
    if string.sub(name, 1, 2) ~= 'e:' then return false end
    redis.call('HSET', key, name, value)
    redis.call('PEXPIREAT', key, expires_at)
    return true
end
