-- first-device (part)
--
-- Creates an unknown user with the first device.

-- True if nothing is stored of a user: no device, no topic preference, no recent erasure.
local function is_unknown(user)
    return redis.call('EXISTS', user, user .. ':x', user .. ':y', user .. ':z') == 0
end

-- The device has the number 1, and no comparison is necessary. Constant numbers are text, which Redis need not convert.
local function make_first_device(user, field, record, type, token, time)
    local value = '\1' .. string.char(string.byte(record, 1) + 32) .. time .. string.sub(record, 2)
    if token == '' then
        redis.call('HSET', user, 'v', '1', field, value)
    else
        redis.call('HSET', user, 'v', '1', field, value, 't\1' .. type, time .. token)
    end
end
