-- import-devices (writes)
--
-- Writes devices of an import. Creates unknown users. If a device repeats its stored values, and they are in the
-- rosters, only the time of its report changes. The caller sends the others to put-device.
--
-- Only a single server runs it, because the users, none of them twice, have several hash tags.
--
-- KEYS
--   topics: the names of the tenant's topics
--   erasing: present while users of the tenant are being erased
--   users...
-- ARGV
--   asks: '1' to check all users with one command first, '' if most of them are known
--   devices...(4): for each user field and value of its device and of its token, both '' without a token: the values
--     that put-device would write for an unknown user, all with the same time
-- Reply: {left: [int], same: [int]} (the indexes from 0 on of users that are left, and of repeated devices)
-- Call: encoded
-- Includes: report-times, first-device

-- Locals, because each use of a global is a search by name.
local call, users, values = redis.call, KEYS, ARGV

-- Checks is_unknown for all users at once. A user with a topic preference has a hash. Without topics no topic waits for
-- a user, and without erasures there is no recent one.
local is_plain = asks == '1' and call('EXISTS', unpack(users, users_at)) == 0
if is_plain and call('EXISTS', topics, erasing) > 0 then
    local names = {}
    for number = users_at, #users do
        names[#names + 1] = users[number] .. ':x'
        names[#names + 1] = users[number] .. ':z'
    end
    is_plain = call('EXISTS', unpack(names)) == 0
end
local reported = time_of(values[devices_at + 1], 3)

-- Returns whether the device is known, and whether its report repeats the stored values. Compares like put-device, for
-- a device with the number 1.
local function says_again(user, at)
    local value, token = values[at + 1], values[at + 3]
    local is
    if token == '' then
        is = call('HMGET', user, values[at], 'c\1')
    else
        is = call('HMGET', user, values[at], 'c\1', values[at + 2])
    end
    local old, is_pending, old_token = is[1], is[2], is[3]
    if not old then return false, false end
    if #old ~= #value or string.sub(old, 1, 2) ~= string.sub(value, 1, 2) or string.sub(old, 9) ~= string.sub(value, 9)
        or is_newer(old, 3, reported) or is_pending then
        return true, false
    end
    -- The marks stay.
    if string.byte(old, 8) >= 64 then
        local mark = math.floor(string.byte(old, 8) / 64) * 64
        value = string.sub(value, 1, 7) .. string.char(string.byte(value, 8) + mark) .. string.sub(value, 9)
    end
    if token == '' then
        call('HSET', user, values[at], value)
        return true, true
    end
    if not old_token or string.byte(old_token, 6) >= 64 or string.sub(old_token, 7) ~= string.sub(token, 7)
        or is_newer(old_token, 1, reported) then
        return true, false
    end
    call('HSET', user, values[at], value, values[at + 2], token)
    return true, true
end

local left, same = {}, {}
local at = devices_at
for number = users_at, #users do
    local user = users[number]
    local is_there, is_same = false, false
    if not is_plain then is_there, is_same = says_again(user, at) end
    if is_same then
        same[#same + 1] = number - users_at
    elseif is_there or not is_plain and not is_unknown(user) then
        left[#left + 1] = number - users_at
    elseif values[at + 2] == '' then
        call('HSET', user, 'v', '1', values[at], values[at + 1])
    else
        call('HSET', user, 'v', '1', values[at], values[at + 1], values[at + 2], values[at + 3])
    end
    at = at + 4
end
return { left, same }
