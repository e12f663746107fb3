-- put-device (writes)
--
-- Writes a report of a device, of a push-to-start token, or of both, each unless a later report is stored. A report
-- that repeats the stored values only renews the time. See `DeviceRecord` for the number of a new device.
--
-- KEYS
--   user
-- ARGV
--   field: the device's
--   record: '' for a report of a token alone
--   type: the token's activity type
--   token: '' for none
--   time: of the report's receipt, in six bytes
--   may: 'u' to create device and user, 'd' to create the device of a known user, '' for neither
--   most: the limit of devices of a user
--   life: ms after which a report creates no device, '' for no limit
-- Reply: one of
--   outdated = -2: a later report is stored
--   erased = -3: the user or the device has been erased since the report
--   may_not_make_device = -4
--   may_not_make_user = -5
--   needs_eviction = -6: a device must be evicted before the write
--   needs_drop = -7: a token must be dropped before the write
--   too_old = -8: the report is too old to create a device
--   unchanged = 0
--   changed = 1: no steps are left, because the user is in no activity and has no topic
--   made_device = 2: no steps are left
--   made_user = 3: made with the device, and no steps are left
--   unfinished = 4 {made_device: flag, made_user: flag, replaced: [bytes], user: fields}: written, but steps are left
--     replaced: fields of replaced tokens whose owner is still recorded
--     user: the hash if the user is in an activity or has a topic, else empty
-- Includes: report-times, first-device

local function number_of(value)
    local length = 1
    while (string.byte(value, length) or 0) >= 128 do length = length + 1 end
    return string.sub(value, 1, length)
end

local function varint(number)
    local bytes = ''
    while number >= 128 do
        bytes = bytes .. string.char(number % 128 + 128)
        number = math.floor(number / 128)
    end
    return bytes .. string.char(number)
end

-- True if the user has at least `number` fields of a kind. Counts them only if the hash has `fields` fields in all.
local function has_most(kind, number, fields)
    if redis.call('HLEN', user) < fields then return false end
    for _, name in ipairs(redis.call('HKEYS', user)) do
        if string.sub(name, 1, 1) == kind then number = number - 1 end
    end
    return number <= 0
end

local function has_hand_overs(number)
    local kind = 'h' .. number
    for _, name in ipairs(redis.call('HKEYS', user)) do
        if string.sub(name, 1, #kind) == kind then return true end
    end
    return false
end

local reported = time_of(time, 1)
local old, last_version = unpack(redis.call('HMGET', user, field, 'v'))
if not old and may == 'u' and record ~= '' and tonumber(most) > 0 and is_unknown(user) then
    if is_too_old(reported, life) then return -8 end
    make_first_device(user, field, record, type, token, time)
    return 3
end
if not old then
    local erased = redis.call('HMGET', user .. ':x', '', field)
    if erased[1] and is_newer(erased[1], 1, reported - 1) or erased[2] and is_newer(erased[2], 1, reported - 1) then
        return -3
    end
    if is_too_old(reported, life) then return -8 end
end
local number = old and number_of(old) or ''
-- The format byte is 0 if only a token was reported. See `DeviceRecord` for the others.
local format = old and string.byte(old, #number + 1) or 0
local is_timed = format >= 64
-- See `RouteKind.init`: an Android device has one kind in both environments.
local function kind_of(first) return first % 2 == 1 and 2 or math.floor(first / 16) % 2 end
local puts_record = record ~= '' and not (is_timed and is_newer(old, #number + 2, reported))
local changes_record = puts_record
    and not (is_timed and string.char(32 + format % 32) .. string.sub(old, #number + 8) == record)
local old_token = number ~= '' and token ~= '' and redis.call('HGET', user, 't' .. number .. type)
local puts_token = token ~= '' and not (old_token and is_newer(old_token, 1, reported))
local changes_token = puts_token
    and not (old_token and string.byte(old_token, 6) < 64 and string.sub(old_token, 7) == token)
if not puts_record and not puts_token then return -2 end
local is_change = changes_record or changes_token
if not old then
    if may == '' then return -4 end
    if may == 'd' and redis.call('HEXISTS', user, 'v') == 0 then return -5 end
    if has_most('d', tonumber(most), tonumber(most)) then return -6 end
end
if changes_token and not old_token and has_most('t', LIMIT.tokens_of_user, LIMIT.fields_of_user) then return -7 end
local version = is_change and (tonumber(last_version) or 0) + 1
local value
if puts_record then
    local first = string.byte(record, 1)
    local has_changed = format >= 96 or format > 0 and kind_of(format) ~= kind_of(first)
    -- The marks stay. A record without a time has no marks, so the hand-overs decide.
    local mark = is_timed and math.floor(string.byte(old, #number + 7) / 64) * 64
        or number ~= '' and has_hand_overs(number) and 128 or 0
    value = string.char(first + (has_changed and 64 or 32)) .. string.sub(time, 1, 5)
        .. string.char(string.byte(time, 6) + mark) .. string.sub(record, 2)
end
if number == '' then
    number = varint(version)
    value = value or ''
end
local changes = {}
local function change(name, new) changes[#changes + 1], changes[#changes + 2] = name, new end
if is_change then change('v', string.format('%.0f', version)) end
if value then change(field, number .. value) end
if puts_token then change('t' .. number .. type, time .. token) end
redis.call('HSET', user, unpack(changes))
-- A gateway that was cut off has not carried an earlier change to the rosters.
local is_pending = not is_change and redis.call('HEXISTS', user, 'c' .. number) == 1
if not is_change and not is_pending then return 0 end
local is_follower = redis.call('EXISTS', user .. ':y', user .. ':z') > 0
local made = not old and (version == 1 and 3 or 2) or 1
if version == 1 and not is_follower then return made end
local all, is_member = redis.call('HGETALL', user), is_follower
local present, replaced, gone = {}, {}, {}
for index = 1, #all, 2 do
    local kind, is_devices = string.sub(all[index], 1, 1), string.sub(all[index], 2, 1 + #number) == number
    if kind == 'm' then
        is_member = true
    elseif kind == 't' and is_devices then
        present[string.sub(all[index + 1], 7)] = true
    elseif kind == 'r' and is_devices then
        -- An earlier release of this token was interrupted.
        replaced[#replaced + 1] = string.sub(all[index], 2 + #number)
    end
end
if changes_token and old_token and not present[string.sub(old_token, 7)] then
    local last = string.sub(old_token, 7)
    redis.call('HSET', user, 'r' .. number .. last, '')
    gone[1] = 'r' .. number .. last
    present[last] = true
end
for _, token in ipairs(replaced) do
    if not present[token] then gone[#gone + 1] = 'r' .. number .. token end
end
if is_pending and not is_member then redis.call('HDEL', user, 'c' .. number) end
if not is_member and #gone == 0 then return made end
if is_member and is_change then
    redis.call('HSET', user, 'c' .. number, version)
    all[#all + 1] = 'c' .. number
    all[#all + 1] = tostring(version)
end
return { 4, made > 1 and 1 or 0, made == 3 and 1 or 0, gone, is_member and all or {} }
