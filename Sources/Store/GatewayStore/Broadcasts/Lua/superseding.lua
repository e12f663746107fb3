-- superseding (part)
--
-- What becomes of the older broadcasts of an activity when another one is recorded.
--
-- Includes: departures

local function is_replaceable(broadcast, now)
    local is = redis.call('HMGET', broadcast, 'state', 'not_before', 'created_at')
    return is[1] == BROADCAST.queued and departure_of(is[2], is[3], now) > now
end

-- Tells older broadcasts for which this one leaves nothing to do. Gives the ids of those that are superseded now, and
-- of updates to target lists that go on beside one to another list. `older`: the update that this one replaces.
local function supersede(open, open_broadcasts, prefix, kind, whole, older, now, leave)
    local superseded, lists = {}, {}
    for index = 2, #open, 2 do
        local id, is, extent = string.match(open[index], '^(.-):(.-):(.-)$')
        local replaces
        if whole then
            replaces = kind == 'end' or is == 'update'
        else
            replaces = older and older.id == id and older.not_before > now
        end
        if redis.call('EXISTS', prefix .. id) == 0 then
            -- Its record has vanished: to write into it would make another.
            redis.call('HDEL', open_broadcasts, open[index - 1])
        elseif not replaces then
            if not whole and is == 'update' and extent == 'slots' then lists[#lists + 1] = id end
        elseif leave <= now or is_replaceable(prefix .. id, now) then
            redis.call('HSET', prefix .. id, 'superseded', '1')
            superseded[#superseded + 1] = id
        else
            -- What has begun goes on until this one leaves; from then on it counts as superseded.
            redis.call('HSETNX', prefix .. id, 'superseded', string.format('%.0f', leave))
        end
    end
    return superseded, lists
end
