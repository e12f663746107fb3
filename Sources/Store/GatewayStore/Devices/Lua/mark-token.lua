-- mark-token (writes)
--
-- Marks a device's token, under any activity type, so that it is not pushed to: see `UserRecord.Token`. A token with a
-- report later than `latest` stays unmarked.
--
-- KEYS
--   user
-- ARGV
--   number: of the device, as in field names
--   token
--   latest: time in six bytes
--   mark: a bit
-- Reply: one of
--   unmarked = 0: no field has the token, or all have the mark or a later report
--   marked = 1: the user is in no activity
--   member = 2 {user: fields}: marked, with the user's whole hash
-- Includes: report-times

local prefix, latest, mark = 't' .. number, time_of(latest, 1), tonumber(mark)
local all, version, is_member, changes = redis.call('HGETALL', user), 0, false, {}
for index = 1, #all, 2 do
    local name, value = all[index], all[index + 1]
    if name == 'v' then
        version = tonumber(value)
    elseif string.sub(name, 1, 1) == 'm' then
        is_member = true
    elseif string.sub(name, 1, #prefix) == prefix and string.sub(value, 7) == token
        and time_of(value, 1) <= latest then
        local top = string.byte(value, 6)
        if math.floor(top / mark) % 2 == 0 then
            local marked = string.sub(value, 1, 5) .. string.char(top + mark) .. string.sub(value, 7)
            changes[#changes + 1], changes[#changes + 2] = name, marked
        end
    end
end
if #changes == 0 then return 0 end
redis.call('HSET', user, 'v', string.format('%.0f', version + 1), unpack(changes))
return is_member and { 2, redis.call('HGETALL', user) } or 1
