-- turns (part)
--
-- An index of the broadcasts of an activity that have not ended, by their targets. A broadcast reads from it only what
-- it can supersede or has to wait for. The hash `open_broadcasts` names all of them by order number.
--
-- The sorted set `…:turns` has two kinds of members, and scores of class and order number:
--
-- 1. An order number: this broadcast may hold up later ones.
-- 2. The letter `u` and an order number: this update to a target list may still be superseded.
--
-- The hash `…:turns:slots` has by slot the short target lists with that slot, the oldest first. An entry is the order
-- number in four bytes, and the length of the list in two. The length is 0 where no list can supersede the broadcast.
--
-- Entries may outlive their broadcast, so a reader checks the record. The field `indexed` of the activity is the newest
-- order number in the index. Broadcasts with a held job do not write the index. It is then rebuilt from the hash.

local function turn_of(class, order) return string.format('%.0f', class * 4294967296 + order) end

-- The slots of a target list, from its record; nil for the whole segment and for a long list.
local function slots_of_scope(scope)
    local slots = {}
    if not scope then return nil end
    if #scope % 8 == 1 and string.byte(scope) == 1 then
        for index = 2, #scope - 7, 8 do
            local first, past = struct.unpack('<I4I4', scope, index)
            if #slots + past - first > LIMIT.short_list then return nil end
            for slot = first, past - 1 do slots[#slots + 1] = string.format('%.0f', slot) end
        end
        return slots
    end
    if #scope > 4 * LIMIT.short_list then return nil end
    for index = 1, #scope - 3, 4 do slots[#slots + 1] = string.format('%.0f', (struct.unpack('<I4', scope, index))) end
    return slots
end

-- The entries at a slot without those of one broadcast.
local function entries_without(entries, order)
    local packed, from = struct.pack('<I4', order), 1
    while true do
        local at = string.find(entries, packed, from, true)
        if not at then return entries end
        if at % 6 == 1 then return string.sub(entries, 1, at - 1) .. string.sub(entries, at + 6) end
        from = at + 1
    end
end

-- Writes the entries at slots, and drops the slots that have none left.
local function write_entries(activity, slots, before, after)
    local kept, gone = {}, {}
    for index, slot in ipairs(slots) do
        if after[index] ~= before[index] then
            if after[index] == '' then
                gone[#gone + 1] = slot
            else
                kept[#kept + 1] = slot
                kept[#kept + 1] = after[index]
            end
        end
    end
    if #gone > 0 then redis.call('HDEL', activity .. ':turns:slots', unpack(gone)) end
    if #kept > 0 then redis.call('HSET', activity .. ':turns:slots', unpack(kept)) end
end

local function read_entries(activity, slots)
    return #slots > 0 and redis.call('HMGET', activity .. ':turns:slots', unpack(slots)) or {}
end

-- Takes a broadcast out of the index. `slots`: of a short target list, else nil.
local function leave_turns(activity, order, slots)
    redis.call('ZREM', activity .. ':turns', order, 'u' .. order)
    if not slots then return end
    local before, after = read_entries(activity, slots), {}
    for index = 1, #slots do after[index] = before[index] and entries_without(before[index], order) end
    write_entries(activity, slots, before, after)
end

-- Puts a broadcast into the index. The parameter `slots` is of a short target list, else nil. The parameter `entries`
-- has the present ones at the slots, if they were read. Of them, `remaining` stay; nil for all.
local function join_turns(activity, order, kind, whole, slots, expires_at, entries, remaining)
    local class = kind == 'start' and TURN.start or whole and TURN.whole or slots and TURN.short_list or TURN.long_list
    local members, is_list = { turn_of(class, order), order }, class == TURN.short_list or class == TURN.long_list
    if is_list and kind == 'update' then
        members[3] = turn_of(slots and TURN.short_update or TURN.long_update, order)
        members[4] = 'u' .. string.format('%.0f', order)
    end
    redis.call('ZADD', activity .. ':turns', unpack(members))
    redis.call('PEXPIREAT', activity .. ':turns', expires_at)
    if class ~= TURN.short_list or #slots == 0 then return end
    local entry, after = struct.pack('<I4I2', order, kind == 'update' and #slots or 0), {}
    entries = entries or read_entries(activity, slots)
    for index = 1, #slots do after[index] = ((remaining or entries)[index] or '') .. entry end
    write_entries(activity, slots, entries, after)
    redis.call('PEXPIREAT', activity .. ':turns:slots', expires_at)
end

-- True for an update that was superseded before it began. It sends nothing and holds up no other broadcast.
local function is_spent(kind, state, superseded, now)
    return kind == 'update' and state == BROADCAST.queued and superseded and tonumber(superseded) <= now
end

-- Rebuilds the index if it lacks broadcasts. `order`, `indexed`: of the activity.
local function complete_turns(activity, open_broadcasts, order, indexed, now)
    if not order or order == indexed then return end
    redis.call('DEL', activity .. ':turns', activity .. ':turns:slots')
    local flat, open = redis.call('HGETALL', open_broadcasts), {}
    for index = 1, #flat, 2 do open[#open + 1] = { tonumber(flat[index]), flat[index + 1] } end
    table.sort(open, function(one, other) return one[1] < other[1] end)
    local left = redis.call('PTTL', open_broadcasts)
    -- Broadcasts with a held job alone set no expiry.
    if left < 0 then left = redis.call('PTTL', activity) end
    local expires_at = string.format('%.0f', now + math.max(0, left))
    for _, each in ipairs(open) do
        local id, kind, extent = string.match(each[2], '^(.-):(.-):(.-)$')
        local is = redis.call('HMGET', activity .. ':b:' .. id, 'state', 'superseded', 'scope')
        if is[1] and not is_spent(kind, is[1], is[2], now) then
            local whole = extent == 'whole'
            join_turns(activity, each[1], kind, whole, not whole and slots_of_scope(is[3]) or nil, expires_at)
        end
    end
    redis.call('HSET', activity, 'indexed', order)
end

-- The order numbers of a class below one, the oldest first.
local function turns_below(activity, class, order)
    return redis.call('ZRANGEBYSCORE', activity .. ':turns', turn_of(class, 0), '(' .. turn_of(class, order))
end

-- The first broadcast of a class, below an order number, for which `holds_up` is true. The function returns nil for a
-- broadcast that it has taken out of the index.
local function first_turn(activity, class, order, holds_up)
    local from = 0
    while true do
        local next = redis.call('ZRANGEBYSCORE', activity .. ':turns', turn_of(class, 0), '(' .. turn_of(class, order),
            'LIMIT', from, 1)[1]
        local holds = next and holds_up(next)
        if not next or holds then return next end
        if holds == false then from = from + 1 end
    end
end

-- True if a start has not ended.
local function has_open_start(activity, open_broadcasts)
    return first_turn(activity, TURN.start, 4294967295, function(order)
        if redis.call('HEXISTS', open_broadcasts, order) == 1 then return true end
        leave_turns(activity, order)
        return nil
    end) ~= nil
end
