-- activity-index (part)
--
-- The index of an hour's activities has parts, so that Redis can pack each of them. A part holds the activities made
-- from its beginning until the next part's beginning. The first part has the key of the index. The others append their
-- beginning: epoch ms with thirteen digits, so their order is that of bytes. A sorted set lists these beginnings.

-- Returns the beginning of the part for an activity; nil for the first part.
local function beginning_at(parts, made_at)
    return redis.call('ZREVRANGEBYLEX', parts, '[' .. string.format('%.0f', made_at), '-', 'LIMIT', 0, 1)[1]
end

local function part_from(index, beginning)
    return beginning and index .. ':' .. beginning or index
end

-- Returns the creation time of an entry's activity, in epoch ms.
local function made_at_of(entry)
    local time = 0
    for place = 1, 6 do time = time * 256 + string.byte(entry, place) end
    return time
end
