-- amend-broadcast (writes)
--
-- Changes the counts of an ended broadcast, in its record or its short form.
--
-- KEYS
--   broadcast
-- ARGV
--   cohort: cohort of the devices with these counts
--   growth...(2): names of counts in the progress, each with its growth
-- Reply: one of
--   amended = 1
--   no_broadcast = 0
--   not_ended = -1
-- Includes: ended-broadcasts

local record = redis.call('HMGET', broadcast, 'state', 'accepted', 'failed', 'cohorts')
local state, ended, field, parts = record[1], nil, nil, nil
if state == BROADCAST.queued or state == BROADCAST.running then return -1 end
local accepted, text, cohorts = record[2], record[3], record[4]
if not state then
    local value
    ended, field, value = find_ended(parts_of_key(broadcast))
    if not ended then return 0 end
    parts = parts_of_ended(value)
    accepted, text, cohorts = parts[6], parts[11], parts[8]
end
accepted, cohorts = tonumber(accepted) or 0, cohorts or ''
-- Newly accepted devices were in doubt, so their cohort's devices include them already.
local function amend_cohort(number)
    cohorts = string.gsub(cohorts, cohort .. '=(%d+)/(%d+)', function(devices, before)
        return cohort .. '=' .. devices .. '/' .. string.format('%.0f', tonumber(before) + number)
    end)
end
local failed, names = {}, {}
for name, number in string.gmatch(text or '', '([^=,]+)=(%d+)') do
    failed[name] = tonumber(number)
    names[#names + 1] = name
end
for at = growth_at, #ARGV, 2 do
    local name, number = ARGV[at], tonumber(ARGV[at + 1])
    if name == 'a' then
        accepted = accepted + number
        amend_cohort(number)
    elseif string.sub(name, 1, 2) == 'f:' then
        name = string.sub(name, 3)
        if not failed[name] then names[#names + 1] = name end
        failed[name] = math.max(0, (failed[name] or 0) + number)
    end
end
local told = {}
for _, name in ipairs(names) do
    if failed[name] > 0 then told[#told + 1] = name .. '=' .. string.format('%.0f', failed[name]) end
end
accepted, text = string.format('%.0f', accepted), table.concat(told, ',')
if parts then
    parts[6], parts[8], parts[11] = accepted, cohorts, text
    redis.call('HSET', ended, field, ended_with(parts))
else
    redis.call('HSET', broadcast, 'accepted', accepted, 'failed', text)
    if cohorts ~= '' then redis.call('HSET', broadcast, 'cohorts', cohorts) end
end
return 1
