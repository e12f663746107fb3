-- arrivals (part)
--
-- The order in which gateways received updates. An update may wait for a claim, a lock or the store before it is
-- recorded. If a newer update for all of its devices was recorded meanwhile, the older one has nothing to send.

-- True if a noted arrival is later than another one, by more than the gateways' clocks differ.
local function came_later(noted, arrived, now)
    return noted and noted > arrived + LIMIT.clock_difference and noted <= now + LIMIT.clock_step
end

-- The later one of two arrivals, unless the noted one is from before the clock was set back.
local function latest_arrival(noted, arrived, now)
    if noted and noted > tonumber(arrived) and noted <= now + LIMIT.clock_step then
        return string.format('%.0f', noted)
    end
    return arrived
end

-- The key of the arrivals, by slot, of updates to short target lists that were recorded in a period.
local function arrivals_key(activity, period)
    return activity .. ':arrived:' .. string.format('%.0f', period)
end

local function slots_in(packed)
    local slots = {}
    for index = 1, #packed - 3, 4 do
        slots[#slots + 1] = string.format('%.0f', (struct.unpack('<I4', packed, index)))
    end
    return slots
end

-- True if newer updates for all of an update's devices were recorded before it. `noted`: the latest arrival of the
-- updates to the whole segment. `packed`: the slots of a short target list, else ''.
local function is_overtaken(activity, noted, arrived, now, whole, packed)
    if came_later(noted, arrived, now) then return true end
    if whole or packed == '' then return false end
    local slots, period, overtaken = slots_in(packed), math.floor(now / LIMIT.arrivals_kept), {}
    local left = #slots
    for each = period - 1, period do
        local is = redis.call('HMGET', arrivals_key(activity, each), unpack(slots))
        for index = 1, #slots do
            if not overtaken[index] and came_later(tonumber(is[index] or nil), arrived, now) then
                overtaken[index] = true
                left = left - 1
            end
        end
    end
    return left == 0
end

-- Notes the arrival of an update that is recorded.
local function note_arrival(activity, noted, arrived, now, whole, packed)
    if whole then
        redis.call('HSET', activity, 'arrived', latest_arrival(tonumber(noted), arrived, now))
    elseif packed ~= '' then
        local key, fields = arrivals_key(activity, math.floor(now / LIMIT.arrivals_kept)), {}
        for _, slot in ipairs(slots_in(packed)) do
            fields[#fields + 1] = slot
            fields[#fields + 1] = arrived
        end
        redis.call('HSET', key, unpack(fields))
        redis.call('PEXPIRE', key, 2 * LIMIT.arrivals_kept)
    end
end
