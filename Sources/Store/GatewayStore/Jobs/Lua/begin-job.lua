-- begin-job (writes)
--
-- Whether a job's turn has come: it may leave by now, and the older updates and ends of its activity have nothing
-- left to do where it works. A start holds up nothing that goes to devices, for whoever can be updated has been
-- started; but behind it come an end to a channel, and an update's second push there, for whoever begins to follow
-- the channel later than a push is not reached by that. Nor does an update hold up anything that was superseded
-- before it began. That one itself sends nothing, and so waits for nobody; it never counts as running. Of the late
-- ends of one device by one broadcast one is sent at a time: the next finds that it has ended.
--
-- KEYS
--   open_broadcasts
--   broadcast
--   activity
-- ARGV
--   prefix: what the keys of the activity's broadcasts begin with
--   order: number
--   part
--   now: epoch ms
--   late: entry of a late end's job, whose broadcast may have ended; '' for others
--   slot: of a late end
-- Reply: 1, 0 when others come first, -1 when the broadcast has ended
-- Includes: hours, departures

local time = tonumber(now)
local is = redis.call('HMGET', broadcast, 'state', 'kind', 'superseded', 'not_before', 'priority', 'scope',
    'created_at')
local state = is[1]
if state ~= BROADCAST.queued and state ~= BROADCAST.running and late == '' then return -1 end
local mark = string.sub(part, 1, 1)
-- The two pushes of an update to a channel share a partition, and so a hold: one comes behind the other.
if mark == '+' and redis.call('HEXISTS', broadcast, 'd=' .. string.sub(part, 2)) == 0 then return 0 end
if is[2] == 'update' and is[3] and tonumber(is[3]) <= time then return 1 end
local left = departure_of(is[4], is[7], time) - time
if left > 0 and left <= LIMIT.longest_wait then return 0 end
local open = redis.call('HGETALL', open_broadcasts)
local is_behind_starts = mark == '+' or mark == '=' and is[2] == 'end'
for index = 1, #open, 2 do
    local id, kind = string.match(open[index + 1], '^(.-):(.-):')
    -- One whose record has vanished will never be done.
    local is_older = tonumber(open[index]) < tonumber(order) and redis.call('EXISTS', prefix .. id) == 1
    if is_older and kind == 'start' then
        if is_behind_starts then return 0 end
    elseif is_older then
        local older = redis.call('HMGET', prefix .. id, 'state', 'superseded', 'd' .. part)
        local sends = not (kind == 'update' and older[1] == BROADCAST.queued and older[2]
            and tonumber(older[2]) <= time)
        if sends and not older[3] then return 0 end
    end
end
if state == BROADCAST.queued and late == '' then
    redis.call('HSET', broadcast, 'state', BROADCAST.running, 'started_at', now)
    if is[2] == 'update' and redis.call('EXISTS', activity) == 1 then
        redis.call('HSET', broadcast, 'updates', count_update(activity, time, is[5] == '10' and not is[6]))
    end
end
if late ~= '' and state then
    local field = 'late:' .. slot
    local holder, held_until = string.match(redis.call('HGET', broadcast, field) or '', '^(.-) (%d+)$')
    if holder and holder ~= late and tonumber(held_until) > time then return 0 end
    redis.call('HSET', broadcast, field, string.format('%s %.0f', late, time + LIMIT.late_end))
end
return 1
