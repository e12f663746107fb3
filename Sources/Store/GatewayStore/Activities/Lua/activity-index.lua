-- activity-index (part)
--
-- An hour's index of activities lies in parts, so that each stays packed in Redis however many activities the hour
-- has: a part holds what was made from its beginning on and before that of the next. Its key is the index's with the
-- beginning behind it, in epoch ms (of thirteen digits, so that their order is that of bytes); that of the first part
-- is the index's own. The beginnings of the others are a sorted set.

-- The beginning of the part that an activity belongs into; nil for the first part.
local function beginning_at(parts, made_at)
    return redis.call('ZREVRANGEBYLEX', parts, '[' .. string.format('%.0f', made_at), '-', 'LIMIT', 0, 1)[1]
end

local function part_from(index, beginning)
    return beginning and index .. ':' .. beginning or index
end

-- When the activity of an entry was made, in epoch ms.
local function made_at_of(entry)
    local time = 0
    for place = 1, 6 do time = time * 256 + string.byte(entry, place) end
    return time
end
