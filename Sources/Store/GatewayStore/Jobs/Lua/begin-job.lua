-- begin-job (writes)
--
-- Decides if it is a job's turn. The job must be due to leave, and no older broadcast of its activity may have anything
-- left to send where it works. The rules:
--
-- - Short target lists without a common device do not wait for each other.
-- - An older start delays no push to a device, because a device that can be updated has been started. It delays an end
--   to a channel, and an update's second push there, because a push does not reach later followers of the channel.
-- - An update that was superseded before it began delays nothing. It sends nothing itself, so it neither waits nor
--   counts as running.
-- - Only one late end of a broadcast to a device is sent at a time. The next one finds that the Live Activity has
--   ended.
--
-- KEYS
--   open_broadcasts
--   broadcast
--   activity
-- ARGV
--   prefix: key prefix of the activity's broadcasts
--   order: number
--   part
--   now: epoch ms
--   late: entry of a late end's job, whose broadcast may have ended; '' for others
--   slot: of a late end
-- Reply: one of
--   due = 1
--   waits = 0
--   ended = -1: the broadcast has ended
-- Includes: hours, departures, turns

local time = tonumber(now)
local is = redis.call('HMGET', broadcast, 'state', 'kind', 'superseded', 'not_before', 'priority', 'scope',
    'created_at')
local state = is[1]
if state ~= BROADCAST.queued and state ~= BROADCAST.running and late == '' then return -1 end
local mark = string.sub(part, 1, 1)
-- The two pushes of an update to a channel share a partition, and so a hold. The second one waits for the first.
if mark == '+' and redis.call('HEXISTS', broadcast, 'd=' .. string.sub(part, 2)) == 0 then return 0 end
if is[2] == 'update' and is[3] and tonumber(is[3]) <= time then return 1 end
local numbers = redis.call('HMGET', activity, 'order', 'indexed')
local left = departure_of(is[4], is[7], time) - time
if left > 0 and left <= LIMIT.longest_wait then return 0 end

-- True if an older broadcast still sends something where the job works, false if it does not; nil if it is gone.
local function holds_up(older_order)
    local value = redis.call('HGET', open_broadcasts, older_order)
    local id, kind = string.match(value or '', '^(.-):(.-):')
    local older = id and redis.call('HMGET', prefix .. id, 'state', 'superseded', 'd' .. part, 'scope') or {}
    -- A broadcast whose record has vanished will never be done.
    if not older[1] or is_spent(kind, older[1], older[2], time) then
        leave_turns(activity, older_order, slots_of_scope(older[4]))
        return nil
    end
    return kind == 'start' or not older[3]
end

-- True if a short target list with one of these slots still holds up the job.
local function is_held_up_at(slots)
    local entries, known = read_entries(activity, slots), {}
    local remaining = { unpack(entries, 1, #slots) }
    for index = 1, #slots do
        local text = entries[index] or ''
        for at = 1, #text - 5, 6 do
            local older = struct.unpack('<I4', text, at)
            if older >= tonumber(order) then break end
            if known[older] == nil then
                local holds = holds_up(string.format('%.0f', older))
                if holds then return true end
                known[older] = holds == nil and 'gone' or 'done'
            end
            if known[older] == 'gone' then remaining[index] = entries_without(remaining[index], older) end
        end
    end
    write_entries(activity, slots, entries, remaining)
    return false
end

complete_turns(activity, open_broadcasts, numbers[1], numbers[2], time)
local is_behind_starts = mark == '+' or mark == '=' and is[2] == 'end'
local slots = late ~= '' and { slot } or slots_of_scope(is[6])
local is_held_up = is_behind_starts and first_turn(activity, TURN.start, order, holds_up)
    or first_turn(activity, TURN.whole, order, holds_up) or first_turn(activity, TURN.long_list, order, holds_up)
if not is_held_up and slots then
    is_held_up = is_held_up_at(slots)
elseif not is_held_up then
    is_held_up = first_turn(activity, TURN.short_list, order, holds_up)
end
-- A late end follows the end itself, whose list may lack its device.
if late ~= '' and state and not is_held_up then
    is_held_up = redis.call('HEXISTS', broadcast, 'd' .. part) == 0 and redis.call('HGET', broadcast, 'order')
    is_held_up = is_held_up and redis.call('HEXISTS', open_broadcasts, is_held_up) == 1
end
if is_held_up then return 0 end
if state == BROADCAST.queued and late == '' then
    redis.call('HSET', broadcast, 'state', BROADCAST.running, 'started_at', now)
    if is[2] == 'update' and redis.call('EXISTS', activity) == 1 then
        local hour, count, urgent = unpack(redis.call('HMGET', activity, 'hour', 'hour_updates', 'hour_urgent'))
        local changes = {}
        local updates = count_update(changes, time, hour, count, urgent, is[5] == '10' and not is[6])
        redis.call('HSET', activity, unpack(changes))
        redis.call('HSET', broadcast, 'updates', updates)
    end
end
if late ~= '' and state then
    local field = 'late:' .. slot
    local holder, held_until = string.match(redis.call('HGET', broadcast, field) or '', '^(.-) (%d+)$')
    if holder and holder ~= late and tonumber(held_until) > time then return 0 end
    redis.call('HSET', broadcast, field, string.format('%s %.0f', late, time + LIMIT.late_end))
end
return 1
