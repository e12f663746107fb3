-- take-jobs (writes)
--
-- Takes jobs: first those whose gateway has not been heard of, then new ones, the oldest first. And items of the due
-- queue whose time has come: others take them again after a while, unless they have been carried out. Erasures that
-- there is no room for are passed over, so that nothing waits behind one tenant's.
--
-- KEYS
--   small: stream of the lane
--   first: likewise
--   updates: likewise
--   unfinished: broadcasts
--   due: queue
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
--   direct: broadcasts that their gateways send at once, by activity
-- ARGV
--   consumer
--   silence: ms that a job's gateway must have been silent
--   small_wanted: how many jobs
--   first_wanted: likewise
--   updates_wanted: likewise
--   items_wanted: of the due queue
--   now: epoch ms
--   again_at: when the items may be taken again, epoch ms
--   passed_at: when those that were passed over may be looked at again, epoch ms
--   erasures_wanted: of one tenant
--   prefix: what the keys of the shard's activities begin with
--   full...: tenants that have as many erasures under way as they get
-- Reply: of a quiet shard, in which there is nothing to do, when its next item is due, epoch ms, '' for none; else
--   {unfinished broadcasts, {item ...}, {tenant, its unfinished broadcasts ...}, lane, entry, broadcast, activity,
--   part, lane ...}
-- Includes: direct-broadcasts

local next_due = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
local is_due = next_due and tonumber(next_due) <= tonumber(now)
-- As it nearly always is. What an earlier version has finished has kept its owner.
if not is_due then
    local found = redis.call('EXISTS', small, first, updates, unfinished, direct, owners, counts)
    if found > 0 and redis.call('EXISTS', small, first, updates, unfinished, direct) == 0 then
        redis.call('DEL', owners, counts)
        found = 0
    end
    if found == 0 then return next_due or '' end
end
local items = {}
local most_items = tonumber(items_wanted)
if is_due and most_items > 0 then
    -- So many are looked at.
    local most = 64
    local head = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, most)
    local passed, taken_of = {}, {}
    local most_erasures = tonumber(erasures_wanted)
    for index = full_at, #ARGV do taken_of[ARGV[index]] = most_erasures end
    for _, item in ipairs(head) do
        if #items == most_items then break end
        local tenant = string.match(item, '^[xd]:[^:]*:[^:]*:([^:]*):')
        local count = tenant and taken_of[tenant] or 0
        if tenant and count >= most_erasures then
            passed[#passed + 1] = item
        else
            if tenant then taken_of[tenant] = count + 1 end
            items[#items + 1] = item
            redis.call('ZADD', due, again_at, item)
        end
    end
    -- There may be others behind these, which the next look is to see.
    if #head == most and #items < most_items then
        for _, item in ipairs(passed) do redis.call('ZADD', due, passed_at, item) end
    end
end
-- Whose hold has run out is a job like any other.
local held = redis.call('HGETALL', direct)
for index = 1, #held, 2 do
    local held_until = parts_of(held[index + 1])
    if tonumber(held_until) <= tonumber(now) then
        give_back(direct, prefix .. held[index], held[index], held[index + 1], small, unfinished, owners, counts)
    end
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
