-- take-jobs (writes)
--
-- Takes jobs: first the jobs of silent gateways, then new ones, the oldest first. Takes also items of the due queue
-- whose time has come. Other gateways take them again after a while, unless they have been carried out. If many are
-- due, tenants take turns. Items without room are skipped.
--
-- KEYS
--   small: stream of the lane
--   first: stream of the lane
--   updates: stream of the lane
--   unfinished: broadcasts
--   due: queue
--   owners: of the unfinished broadcasts
--   counts: of these, by owner
--   held: jobs of the shard
-- ARGV
--   consumer
--   silence: ms that a job's gateway must have been silent, '' to take only new jobs
--   small_wanted: most jobs of the lane
--   first_wanted: most jobs of the lane
--   updates_wanted: most jobs of the lane
--   items_wanted: most items of the due queue
--   now: epoch ms
--   again_at: time at which the items may be taken again, epoch ms
--   schedules_wanted: most schedules of all tenants
--   erasures_wanted: most erasures of one tenant
--   prefix: key prefix of the shard's activities
--   full...: holders of due items that may have no more of them under way
-- Reply: one of
--   quiet = 0 {next_due: text}: the shard has nothing to do; epoch ms of its next item, '' for none
--   taken = 1 {unfinished: int, items: [text], unfinished_of: fields, jobs: text...}
--   The unfinished broadcasts by tenant; of each job its lane, entry, broadcast, activity and part.
-- Includes: held-jobs, due-shares

local next_due = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2]
local is_due = next_due and tonumber(next_due) <= tonumber(now)
if not is_due and redis.call('EXISTS', small, first, updates, unfinished, held, due .. ':turns') == 0 then
    return { 0, next_due or '' }
end
local items = {}
local most_items = tonumber(items_wanted)
if most_items > 0 then
    local taken_of, full = {}, {}
    local schedules_left = tonumber(schedules_wanted)
    for index = full_at, #ARGV do full[ARGV[index]] = true end
    local function has_room(holder)
        if full[holder] then return false end
        local kind = string.sub(holder, 1, 2)
        if kind == 's:' then return schedules_left > 0 end
        return kind ~= 'e:' or (taken_of[holder] or 0) < tonumber(erasures_wanted)
    end
    local function take_item(item, holder)
        taken_of[holder] = (taken_of[holder] or 0) + 1
        if string.sub(holder, 1, 2) == 's:' then schedules_left = schedules_left - 1 end
        items[#items + 1] = item
        redis.call('ZADD', due, again_at, item)
    end
    local head = {}
    if is_due then
        head = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'WITHSCORES', 'LIMIT', 0, LIMIT.due_sorted)
    end
    if #head > 2 * LIMIT.due_unsorted or redis.call('EXISTS', due .. ':turns') == 1 then
        sort_due(due, head, again_at, prefix)
        take_turns(due, most_items, has_room, take_item)
    else
        local tenants = {}
        for index = 1, #head, 2 do
            if #items == most_items then break end
            local holder = holder_of(head[index], prefix, tenants)
            if has_room(holder) then take_item(head[index], holder) end
        end
    end
end
local held_jobs, held_of, held_count = redis.call('HGETALL', held), {}, 0
for index = 1, #held_jobs, 2 do
    local held_until, _, _, _, tenant = parts_of_held(held_jobs[index + 1])
    if tonumber(held_until) <= tonumber(now) then
        give_back(held, held_jobs[index], held_jobs[index + 1], prefix, small, unfinished, owners, counts)
    else
        held_of[tenant], held_count = (held_of[tenant] or 0) + 1, held_count + 1
    end
end
local unfinished_of = redis.call('HGETALL', counts)
for index = 1, #unfinished_of, 2 do
    local tenant = unfinished_of[index]
    unfinished_of[index + 1] = tostring(unfinished_of[index + 1] + (held_of[tenant] or 0))
    held_of[tenant] = nil
end
for tenant, count in pairs(held_of) do
    unfinished_of[#unfinished_of + 1] = tenant
    unfinished_of[#unfinished_of + 1] = tostring(count)
end
local taken = { 1, redis.call('ZCOUNT', unfinished, now, '+inf') + held_count, items, unfinished_of }
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
        for _ = 1, silence ~= '' and 50 or 0 do
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
