-- reserved-schedules (part)
--
-- The schedules of users' apps that count against quotas. A hash has one text per user, by a digest of the insider_id.
-- The text has an entry per schedule: the activity, its id, its bytes, and the second of its reservation. The fields
-- `count` and `bytes` hold the sums. A sorted set orders the users by their oldest schedules.

-- Returns the text without the schedules that `is_gone` selects, the bytes of the rest, and the number and bytes of the
-- selected ones.
local function split_reserved(text, is_gone)
    local rest, bytes, gone, gone_bytes = {}, 0, 0, 0
    for first = 1, #text - SIZE.reserved_schedule + 1, SIZE.reserved_schedule do
        local schedule = string.sub(text, first, first + SIZE.reserved_schedule - 1)
        local size, since = struct.unpack('<I4I4', schedule, 33)
        if is_gone(string.sub(schedule, 17, 32), since) then
            gone, gone_bytes = gone + 1, gone_bytes + size
        else
            rest[#rest + 1], bytes = schedule, bytes + size
        end
    end
    return table.concat(rest), bytes, gone, gone_bytes
end

-- Writes a user's text and the sums.
local function put_reserved(reserved, ages, user, text, count, bytes)
    if count <= 0 then
        redis.call('DEL', reserved, ages)
        return
    end
    local sums = { 'count', string.format('%.0f', count), 'bytes', string.format('%.0f', bytes) }
    if text == '' then
        -- The sums change with the text. Then a repetition finds an empty one.
        redis.call('HSET', reserved, user, '', unpack(sums))
        redis.call('ZREM', ages, user)
        redis.call('HDEL', reserved, user)
    else
        local _, since = struct.unpack('<I4I4', text, 33)
        redis.call('ZADD', ages, string.format('%.0f', since), user)
        redis.call('HSET', reserved, user, text, unpack(sums))
    end
end

-- Drops the schedules of a user that `is_gone` selects.
local function release_reserved(reserved, ages, user, is_gone)
    local text, count, bytes = unpack(redis.call('HMGET', reserved, user, 'count', 'bytes'))
    if not text or text == '' then
        -- The hash may have been evicted alone.
        redis.call('ZREM', ages, user)
        if text then redis.call('HDEL', reserved, user) end
        return
    end
    local rest, _, gone, gone_bytes = split_reserved(text, is_gone)
    if gone == 0 then return end
    put_reserved(reserved, ages, user, rest, (count or 0) - gone, (bytes or 0) - gone_bytes)
end
