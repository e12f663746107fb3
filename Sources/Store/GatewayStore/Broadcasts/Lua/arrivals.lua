-- arrivals (part)
--
-- The order in which gateways received updates. An update may wait for a claim, a lock or the store before it is
-- recorded. If newer content for all of its devices was recorded meanwhile, the older update has nothing to send. If
-- newer content was recorded for some of them, the update is for the others.

-- True if a recorded arrival is later than another one, by more than the difference of the gateways' clocks.
local function came_later(noted, arrived, now)
    return noted and noted > arrived + LIMIT.clock_difference and noted <= now + LIMIT.clock_step
end

-- The later one of two arrivals, unless the recorded one is from before the clock was set back.
local function latest_arrival(noted, arrived, now)
    if noted and noted > tonumber(arrived) and noted <= now + LIMIT.clock_step then
        return string.format('%.0f', noted)
    end
    return arrived
end

-- The key of the arrivals, by slot, of broadcasts to short target lists that were recorded in a period.
local function arrivals_key(activity, period)
    return activity .. ':arrived:' .. string.format('%.0f', period)
end

-- True if an update waited, and broadcasts to short target lists may have been recorded meanwhile.
local function may_be_overtaken(activity, arrived, now)
    if arrived + LIMIT.clock_difference >= now then return false end
    local period = math.floor(now / LIMIT.arrivals_kept)
    return redis.call('EXISTS', arrivals_key(activity, period - 1), arrivals_key(activity, period)) > 0
end

-- The slots without a newer broadcast, packed, and the number of the others.
local function slots_left(activity, slots, arrived, now)
    local period, is_newer, left = math.floor(now / LIMIT.arrivals_kept), {}, {}
    for each = period - 1, period do
        local is = redis.call('HMGET', arrivals_key(activity, each), unpack(slots))
        for index = 1, #slots do
            is_newer[index] = is_newer[index] or came_later(tonumber(is[index] or nil), arrived, now)
        end
    end
    for index, slot in ipairs(slots) do
        if not is_newer[index] then left[#left + 1] = struct.pack('<I4', tonumber(slot)) end
    end
    return table.concat(left), #slots - #left
end

-- Records the arrival of a broadcast. That of one to the whole segment is added to the activity's `changes`. The
-- parameter `noted` is the latest arrival of those. The parameter `listed` has the slots of a short target list; it is
-- nil for others.
local function note_arrival(changes, activity, noted, arrived, now, whole, listed)
    if whole then
        changes[#changes + 1] = 'arrived'
        changes[#changes + 1] = latest_arrival(tonumber(noted), arrived, now)
    elseif listed and #listed > 0 then
        local key, fields = arrivals_key(activity, math.floor(now / LIMIT.arrivals_kept)), {}
        local is = redis.call('HMGET', key, unpack(listed))
        for index, slot in ipairs(listed) do
            fields[#fields + 1] = slot
            fields[#fields + 1] = latest_arrival(tonumber(is[index] or nil), arrived, now)
        end
        redis.call('HSET', key, unpack(fields))
        redis.call('PEXPIRE', key, 2 * LIMIT.arrivals_kept)
    end
end
