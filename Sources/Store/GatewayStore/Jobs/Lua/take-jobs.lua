-- take-jobs (writes)
--
-- Takes jobs: first those whose gateway has not been heard of, then new ones, the oldest first. And items of the due
-- queue whose time has come: others take them again after a while, unless they have been carried out.
--
-- KEYS
--   small: stream of the lane
--   first: likewise
--   updates: likewise
--   unfinished: broadcasts
--   due: queue
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
-- ARGV
--   consumer
--   silence: ms that a job's gateway must have been silent
--   small_wanted: how many jobs
--   first_wanted: likewise
--   updates_wanted: likewise
--   items_wanted: of the due queue
--   now: epoch ms
--   again_at: when the items may be taken again, epoch ms
-- Reply: {unfinished broadcasts, {item ...}, {tenant, its unfinished broadcasts ...}, lane, entry,
--   broadcast, activity, part, lane ...}

local items = {}
if tonumber(items_wanted) > 0 then
    items = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, items_wanted)
    for _, item in ipairs(items) do redis.call('ZADD', due, again_at, item) end
end
-- As it nearly always is.
if #items == 0 and redis.call('EXISTS', small, first, updates, unfinished) == 0 then
    -- What a gateway of an earlier version has finished has kept its owner.
    redis.call('DEL', owners, counts)
    return { '0' }
end
local taken = { tostring(redis.call('ZCOUNT', unfinished, now, '+inf')), items, redis.call('HGETALL', counts) }
local function take(lane, list)
    local count = 0
    for _, entry in ipairs(list) do
        -- An entry that was deleted is claimed without fields.
        if entry and entry[2] then
            local field = {}
            for index = 1, #entry[2], 2 do field[entry[2][index]] = entry[2][index + 1] end
            for _, value in ipairs({ lane - 1, entry[1], field.b, field.a, field.p }) do
                taken[#taken + 1] = tostring(value)
            end
            count = count + 1
        end
    end
    return count
end
local streams = { small, first, updates }
for lane, wanted in ipairs({ small_wanted, first_wanted, updates_wanted }) do
    local stream = streams[lane]
    wanted = tonumber(wanted)
    if wanted > 0 and redis.call('EXISTS', stream) == 1 then
        local cursor = '0-0'
        for _ = 1, 50 do
            local claimed = redis.call('XAUTOCLAIM', stream, JOB.group, consumer, silence, cursor,
                'COUNT', wanted)
            wanted = wanted - take(lane, claimed[2])
            cursor = claimed[1]
            if cursor == '0-0' or wanted <= 0 then break end
        end
        if wanted > 0 then
            local read = redis.call('XREADGROUP', 'GROUP', JOB.group, consumer, 'COUNT', wanted,
                'STREAMS', stream, '>')
            if read then take(lane, read[1][2]) end
        end
    end
end
return taken
