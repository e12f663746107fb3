-- set-aside (writes)
--
-- Takes a user, or one device of a user, out of the user's hash in one step, and keeps what was taken for whoever
-- erases the rest. From here on the user, or the device, is not known, and what was reported before is passed over. The
-- user goes with the last device, unless that makes way for another one, and but for one who has said something of a
-- topic: that is kept, and so counts.
--
-- KEYS
--   user
--   aside: the erasure's
--   erased: when the user and devices were erased
--   follows: the topics that the user has said to follow
--   waiting: topics that want to be told of the user
-- ARGV
--   field: the device's, '' for the user with all devices
--   udid: of the device, in full
--   meant: the number of a device that makes way, as fields spell it: nothing happens when it has another one; '' for
--     whichever is there
--   now: in six bytes
--   kept: ms
--   remembered: ms for which is known when it was
-- Reply: how many devices were taken, and how many users
-- Includes: report-times

-- Anybody with the app may have devices forgotten that never were: of no more of them than these it is known when.
local function has_room()
    if redis.call('HLEN', erased) < LIMIT.erased_of_user then return true end
    local marks, count = redis.call('HGETALL', erased), 0
    for index = 1, #marks, 2 do
        if time_of(marks[index + 1], 1) + remembered < time_of(now, 1) then
            redis.call('HDEL', erased, marks[index])
        else
            count = count + 1
        end
    end
    return count < LIMIT.erased_of_user
end

local function first_varint(value, at)
    local last = at
    while (string.byte(value, last) or 0) >= 128 do last = last + 1 end
    return string.sub(value, at, last), last + 1
end
local taken, devices, left = {}, 0, 0
local record = field ~= '' and redis.call('HGET', user, field)
local number = record and first_varint(record, 1)
if meant ~= '' and meant ~= number then return { 0, 0 } end
local all = redis.call('HGETALL', user)
if has_room() and #all > 0 or field == '' or record then
    redis.call('HSET', erased, field, now)
    redis.call('PEXPIRE', erased, remembered)
end
if field ~= '' and not record then return { 0, 0 } end
for index = 1, #all, 2 do
    local name, value = all[index], all[index + 1]
    local kind = string.sub(name, 1, 1)
    local keeps, takes = false, value
    if field ~= '' then
        if kind == 'd' then
            keeps = name ~= field
        elseif kind == 't' then
            keeps = string.sub(name, 2, 1 + #number) ~= number
        elseif kind == 's' then
            keeps = string.sub(value, 17, 16 + #udid) ~= udid or (string.byte(value, 17 + #udid) or 0) ~= 0
        elseif kind == 'm' then
            local at, of_device, of_others = 3, '', ''
            while at <= #value do
                local device, next_at = first_varint(value, at)
                local _, end_at = first_varint(value, next_at)
                local entry = string.sub(value, at, end_at - 1)
                if device == number then of_device = of_device .. entry else of_others = of_others .. entry end
                at = end_at
            end
            keeps = of_device == ''
            takes = string.sub(value, 1, 2) .. of_device
            if not keeps and of_others ~= '' then
                redis.call('HSET', user, name, string.sub(value, 1, 2) .. of_others)
                all[index] = ''
            end
        else
            keeps = true
        end
    end
    if kind == 'd' then
        if keeps then left = left + 1 else devices = devices + 1 end
    end
    if not keeps then
        taken[#taken + 1] = name
        taken[#taken + 1] = takes
        if all[index] ~= '' then redis.call('HDEL', user, all[index]) end
    end
end
if field == '' then
    redis.call('DEL', follows, waiting)
    -- Somebody of whom no device is known may be on lists all the same.
    if #taken == 0 then taken = { 'v', '0' } end
end
if #taken > 0 then
    redis.call('HSET', aside, unpack(taken))
    redis.call('PEXPIRE', aside, kept)
end
if meant ~= '' or field ~= '' and (left > 0 or redis.call('HEXISTS', user, 'w') == 1) then
    redis.call('HINCRBY', user, 'v', 1)
    return { devices, 0 }
end
redis.call('DEL', user)
return { devices, #all > 0 and 1 or 0 }
