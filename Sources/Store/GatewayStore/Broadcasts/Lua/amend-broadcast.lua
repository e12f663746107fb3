-- amend-broadcast (writes)
--
-- Changes the counts of a broadcast that has ended.
--
-- KEYS
--   broadcast
-- ARGV
--   cohort: of the devices whose counts these are
--   growth...(2): counts as the progress spells them, and by how much they grow
-- Reply: 1; 0 when there is no such broadcast, -1 when it has not ended yet

local state = redis.call('HGET', broadcast, 'state')
if not state then return 0 end
if state == BROADCAST.queued or state == BROADCAST.running then return -1 end
-- Where cohorts are told: whoever is accepted now was in doubt, and so among their devices, before.
local function amend_cohort(number)
    local told = redis.call('HGET', broadcast, 'cohorts')
    if not told then return end
    local changed = string.gsub(told, cohort .. '=(%d+)/(%d+)', function(devices, accepted)
        return cohort .. '=' .. devices .. '/' .. string.format('%.0f', tonumber(accepted) + number)
    end)
    redis.call('HSET', broadcast, 'cohorts', changed)
end
local failed, names = {}, {}
local text = redis.call('HGET', broadcast, 'failed') or ''
for name, number in string.gmatch(text, '([^=,]+)=(%d+)') do
    failed[name] = tonumber(number)
    names[#names + 1] = name
end
for at = growth_at, #ARGV, 2 do
    local name, number = ARGV[at], tonumber(ARGV[at + 1])
    if name == 'a' then
        redis.call('HINCRBY', broadcast, 'accepted', number)
        amend_cohort(number)
    elseif string.sub(name, 1, 2) == 'f:' then
        name = string.sub(name, 3)
        if not failed[name] then names[#names + 1] = name end
        failed[name] = math.max(0, (failed[name] or 0) + number)
    end
end
local parts = {}
for _, name in ipairs(names) do
    if failed[name] > 0 then parts[#parts + 1] = name .. '=' .. string.format('%.0f', failed[name]) end
end
redis.call('HSET', broadcast, 'failed', table.concat(parts, ','))
return 1
