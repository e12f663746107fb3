-- untold (part)
--
-- What is to be told of a page: kept as `e:` and more, until it is published.

-- Keeps it when this is such a field. False when it is another one.
local function keep_untold(key, name, value, expires_at)
    if string.sub(name, 1, 2) ~= 'e:' then return false end
    redis.call('HSET', key, name, value)
    redis.call('PEXPIREAT', key, expires_at)
    return true
end
