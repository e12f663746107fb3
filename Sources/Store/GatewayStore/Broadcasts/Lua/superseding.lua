-- superseding (part)
--
-- The older broadcasts of an activity that another one replaces. A broadcast to the whole segment replaces updates, and
-- an end replaces all. A target list replaces updates to lists whose devices it has all.
--
-- Includes: departures, turns

-- An older broadcast; nil when its record has vanished or it has ended.
local function find_older(activity, open_broadcasts, order, now)
    local value = redis.call('HGET', open_broadcasts, order)
    if not value then return nil end
    local id, kind = string.match(value, '^(.-):(.-):')
    local is = redis.call('HMGET', activity .. ':b:' .. id, 'state', 'not_before', 'created_at', 'superseded',
        'timestamp')
    if not is[1] then
        -- A write to it would create another record.
        redis.call('HDEL', open_broadcasts, order)
        return nil
    end
    local not_before = departure_of(is[2], is[3], now)
    return {
        order = order, id = id, kind = kind, timestamp = tonumber(is[5]), not_before = not_before,
        is_queued = is[1] == BROADCAST.queued, waits = is[1] == BROADCAST.queued and not_before > now,
        is_superseded = is[4] and tonumber(is[4]) <= now or false,
    }
end

-- The updates and ends to the whole segment that have not ended: few, since each supersedes those before it.
local function find_wholes(activity, open_broadcasts, now)
    local found = {}
    for _, order in ipairs(turns_below(activity, TURN.whole, 4294967295)) do
        local older = find_older(activity, open_broadcasts, order, now)
        if older then found[#found + 1] = older else leave_turns(activity, order) end
    end
    return found
end

-- The newest of these broadcasts that is an update and has not begun.
local function newest_queued(found)
    for index = #found, 1, -1 do
        local older = found[index]
        if older.kind == 'update' and older.is_queued and not older.is_superseded then return older end
    end
    return nil
end

-- The updates to target lists that a short list covers, the oldest first, with the entries at its slots.
local function find_covered(activity, open_broadcasts, slots, now)
    local entries, tally, length = read_entries(activity, slots), {}, {}
    for index = 1, #slots do
        local text = entries[index] or ''
        for at = 1, #text - 5, 6 do
            local order, count = struct.unpack('<I4I2', text, at)
            if count > 0 and count <= #slots then
                tally[order] = (tally[order] or 0) + 1
                length[order] = count
            end
        end
    end
    local orders, found = {}, {}
    for order, count in pairs(tally) do if count == length[order] then orders[#orders + 1] = order end end
    table.sort(orders)
    local covered = { slots = slots, entries = entries, found = found, left = {} }
    for _, order in ipairs(orders) do
        local older = find_older(activity, open_broadcasts, string.format('%.0f', order), now)
        if older then
            older.is_same = length[order] == #slots
            found[#found + 1] = older
        end
        covered.left[order] = not older
    end
    return covered
end

-- The newest updates to target lists, which a long list may cover.
local function find_coverable(activity, open_broadcasts, scope, now)
    local covered = { found = {} }
    for _, class in ipairs({ TURN.short_update, TURN.long_update, TURN.timed_update }) do
        local first, past = turn_of(class, 0), '(' .. turn_of(class + 1, 0)
        local from = math.max(0, redis.call('ZCOUNT', activity .. ':turns', first, past) - LIMIT.coverable_lists)
        local members = redis.call('ZRANGEBYSCORE', activity .. ':turns', first, past, 'LIMIT', from, -1)
        for _, member in ipairs(members) do
            local older = find_older(activity, open_broadcasts, string.sub(member, 2), now)
            if older then
                older.is_same = older.waits and class ~= TURN.short_update
                    and redis.call('HGET', activity .. ':b:' .. older.id, 'scope') == scope
                covered.found[#covered.found + 1] = older
            else
                redis.call('ZREM', activity .. ':turns', member)
            end
        end
    end
    return covered
end

-- The newest update to exactly the devices of a list that has not begun.
local function newest_same(covered)
    local newest = nil
    for _, older in ipairs(covered.found) do
        local is_newer = not newest or tonumber(older.order) > tonumber(newest.order)
        if older.is_same and older.is_queued and not older.is_superseded and is_newer then newest = older end
    end
    return newest
end

-- Marks an older update as superseded when the new one leaves. True if it is superseded now.
local function mark_superseded(activity, older, leave, now)
    if leave <= now or older.waits then
        redis.call('HSET', activity .. ':b:' .. older.id, 'superseded', '1')
        return true
    end
    -- A running update goes on until the new one leaves.
    redis.call('HSETNX', activity .. ':b:' .. older.id, 'superseded', string.format('%.0f', leave))
    return false
end

-- Marks the updates to target lists that a broadcast to the whole segment replaces. Updates that are marked for a later
-- time are marked again only if the broadcast leaves at once.
local function supersede_lists(activity, open_broadcasts, leave, now, superseded)
    local last = leave <= now and TURN.timed_update or TURN.short_update
    local members = redis.call('ZRANGEBYSCORE', activity .. ':turns', turn_of(TURN.long_update, 0),
        '(' .. turn_of(last + 1, 0))
    for _, member in ipairs(members) do
        local order = string.sub(member, 2)
        local older = find_older(activity, open_broadcasts, order, now)
        if older and not older.is_superseded and not mark_superseded(activity, older, leave, now) then
            redis.call('ZADD', activity .. ':turns', turn_of(TURN.timed_update, order), member)
        else
            if older and not older.is_superseded then superseded[#superseded + 1] = older.id end
            redis.call('ZREM', activity .. ':turns', member)
        end
    end
end

-- Marks all broadcasts of an activity that ends. Returns their ids.
local function supersede_all(activity, open_broadcasts)
    local open, superseded = redis.call('HGETALL', open_broadcasts), {}
    for index = 2, #open, 2 do
        local id = string.match(open[index], '^(.-):')
        if redis.call('EXISTS', activity .. ':b:' .. id) == 1 then
            redis.call('HSET', activity .. ':b:' .. id, 'superseded', '1')
            superseded[#superseded + 1] = id
        else
            redis.call('HDEL', open_broadcasts, open[index - 1])
        end
    end
    return superseded
end

-- Marks the older updates that one to the whole segment replaces. Returns the ids of those that are superseded now.
local function supersede(activity, open_broadcasts, wholes, leave, now)
    local superseded = {}
    for _, older in ipairs(wholes) do
        if older.kind == 'update' and not older.is_superseded and mark_superseded(activity, older, leave, now) then
            superseded[#superseded + 1] = older.id
            if older.is_queued then leave_turns(activity, older.order) end
        end
    end
    supersede_lists(activity, open_broadcasts, leave, now, superseded)
    return superseded
end

-- Marks the older updates that a target list replaces. `older`: the update to exactly its devices. Returns the ids of
-- updates that are superseded now, and the ids of updates whose devices the caller must compare.
local function supersede_covered(activity, covered, older, leave, now)
    local superseded, lists = {}, {}
    for _, each in ipairs(covered.found) do
        local is_replaced = older and older.id == each.id and older.waits
        if each.is_superseded then
            redis.call('ZREM', activity .. ':turns', 'u' .. each.order)
        elseif not covered.slots and not is_replaced then
            lists[#lists + 1] = each.id
        else
            local record = activity .. ':b:' .. each.id
            if leave > now and not is_replaced then
                redis.call('HSETNX', record, 'superseded', string.format('%.0f', leave))
            else
                redis.call('HSET', record, 'superseded', '1')
                superseded[#superseded + 1] = each.id
                redis.call('ZREM', activity .. ':turns', 'u' .. each.order)
                if each.is_queued and covered.slots then
                    redis.call('ZREM', activity .. ':turns', each.order)
                    covered.left[tonumber(each.order)] = true
                end
            end
        end
    end
    return superseded, lists
end

-- The entries at the slots of a list, without broadcasts that have left the index.
local function remaining_entries(covered)
    local remaining = {}
    for index = 1, #covered.slots do
        local text, kept = covered.entries[index] or '', {}
        for at = 1, #text - 5, 6 do
            if not covered.left[struct.unpack('<I4', text, at)] then kept[#kept + 1] = string.sub(text, at, at + 5) end
        end
        remaining[index] = table.concat(kept)
    end
    return remaining
end
