-- first-device (part)
--
-- What is made of a user whom nobody knows.

-- Whether nothing is there of a user: no device, no word on a topic, no erasure that is remembered.
local function is_unknown(user)
    return redis.call('EXISTS', user, user .. ':x', user .. ':y', user .. ':z') == 0
end

-- The device has the number 1, and nothing has to be compared. Numbers are spelled as text where they are fixed.
local function make_first_device(user, field, record, type, token, time)
    local value = '\1' .. string.char(string.byte(record, 1) + 32) .. time .. string.sub(record, 2)
    if token == '' then
        redis.call('HSET', user, 'v', '1', field, value)
    else
        redis.call('HSET', user, 'v', '1', field, value, 't\1' .. type, time .. token)
    end
end
