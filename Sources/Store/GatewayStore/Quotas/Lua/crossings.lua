-- crossings (part)
--
-- Reports each level of a quota once: 1 from 80 % on, 2 when it is used up. Level 1 ends below 70 %, and level 2 below
-- 90 %. Both last for at least `again_after` ms. Then they can be reported again.
--
-- `note_crossing` appends a crossing to the reply as four texts: the name, the level, the use, the limit.

local function note_crossing(usage, name, used, limit, again_after, now, crossed)
    limit = tonumber(limit)
    if limit <= 0 then return end
    local level = used >= limit and 2 or used * 10 >= limit * 8 and 1 or 0
    local field = 'told:' .. name
    local told, at = string.match(redis.call('HGET', usage, field) or '', '^(%d):(%d+)$')
    told, at = tonumber(told) or 0, tonumber(at) or 0
    if level < told and used * 10 < limit * (told == 2 and 9 or 7) and now - at >= again_after then
        told = level
        redis.call('HSET', usage, field, told .. ':' .. string.format('%.0f', now))
    end
    if level > told then
        redis.call('HSET', usage, field, level .. ':' .. string.format('%.0f', now))
        for _, value in ipairs({ name, tostring(level), string.format('%.0f', used), string.format('%.0f', limit) }) do
            crossed[#crossed + 1] = value
        end
    end
end
