-- set-aside (writes)
--
-- Removes a user, or one device of a user, from the user's hash in one step. The removed data is kept for the rest of
-- the erasure. From then on the user or the device is unknown, and earlier reports are dropped. The last device takes
-- the user along, unless it is evicted or the user has a topic preference. All data is copied before any is deleted, so
-- a failed script has removed nothing. The reply names the user's open erasures, which the caller continues too.
--
-- KEYS
--   user
--   aside: the erasure's
--   erased: times of erasures
--   follows: topics that the user follows
--   waiting: topics that wait for the user's devices
--   opened: device-opened activities that count the user
--   open: erasures of the user and of devices that are not concluded
-- ARGV
--   field: of the device, '' for the user with all devices
--   udid: of the device, in full
--   meant: number of a device to evict, as in field names, '' for any; nothing happens if the device has another one
--   now: in six bytes
--   kept: ms
--   remembered: life of the times of erasures, ms
--   item: of the due queue
-- Reply: {devices: int, users: int, open: text...} (the numbers of removed devices and users, and the items of open
--   erasures)
-- Includes: in-slices, report-times, write-rights

-- True if another time may be recorded. A limit is necessary, because an app may request erasures of devices that never
-- existed.
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
local record = field ~= '' and redis.call('HGET', user, field)
local number = record and first_varint(record, 1)
if meant ~= '' and meant ~= number then return { 0, 0 } end
require_writes(user, 'DEL', 'HDEL', 'HINCRBY', 'HSET', 'PEXPIRE')
local all = redis.call('HGETALL', user)
if has_room() and #all > 0 or field == '' or record then
    redis.call('HSET', erased, field, now)
    redis.call('PEXPIRE', erased, remembered)
end
local others = redis.call('HKEYS', open)
local function reply(devices, users)
    local taken = { devices, users }
    for _, other in ipairs(others) do taken[#taken + 1] = other end
    return taken
end
if field ~= '' and not record then return reply(0, 0) end
redis.call('HSET', open, item, now)
redis.call('PEXPIRE', open, kept)
local function keep(...) redis.call('HSET', aside, ...) end
local devices = 0
for index = 1, #all, 2 do
    if string.sub(all[index], 1, 1) == 'd' then devices = devices + 1 end
end
if field == '' or meant == '' and devices == 1 and redis.call('HEXISTS', user, 'w') == 0 then
    -- The whole user. A user without known devices may still be on lists.
    in_slices(#all > 0 and all or { 'v', '0' }, keep)
    redis.call('PEXPIRE', aside, kept)
    redis.call('DEL', user, opened)
    if field == '' then redis.call('DEL', follows, waiting) end
    return reply(devices, #all > 0 and 1 or 0)
end

-- Fields of the device alone are removed. Of a membership shared with other devices, the device's part is removed and
-- kept under a name of its own.
local taken, gone, left = {}, {}, {}
local function take(name, value)
    taken[#taken + 1] = name
    taken[#taken + 1] = value
end
local function take_part(name, value)
    local at, of_device, of_others = 3, '', ''
    while at <= #value do
        local device, next_at = first_varint(value, at)
        local _, end_at = first_varint(value, next_at)
        local entry = string.sub(value, at, end_at - 1)
        if device == number then of_device = of_device .. entry else of_others = of_others .. entry end
        at = end_at
    end
    if of_device == '' then return end
    if of_others == '' then
        gone[#gone + 1] = name
        return take(name, value)
    end
    local days = string.sub(value, 1, 2)
    take('p' .. string.sub(name, 2), days .. of_device)
    left[#left + 1] = name
    left[#left + 1] = days .. of_others
end
for index = 1, #all, 2 do
    local name, value = all[index], all[index + 1]
    local kind = string.sub(name, 1, 1)
    if kind == 'm' then
        take_part(name, value)
    elseif kind == 'd' and name == field
        or (kind == 't' or kind == 'r' or kind == 'c') and string.sub(name, 2, 1 + #number) == number
        or kind == 's' and string.sub(value, 17, 16 + #udid) == udid
            and (string.byte(value, 17 + #udid) or 0) == 0 then
        gone[#gone + 1] = name
        take(name, value)
    end
end
in_slices(taken, keep)
redis.call('PEXPIRE', aside, kept)
in_slices(left, function(...) redis.call('HSET', user, ...) end)
in_slices(gone, function(...) redis.call('HDEL', user, ...) end)
redis.call('HINCRBY', user, 'v', 1)
return reply(1, 0)
