-- looks (part)
--
-- Records, beside a partition's counters, that a device of a page may have lost its Live Activity.

local function note_look(counters, page, expires_at)
    local key = string.sub(counters, 1, -2) .. 'l'
    redis.call('HINCRBY', key, page, 1)
    redis.call('PEXPIREAT', key, expires_at)
end
