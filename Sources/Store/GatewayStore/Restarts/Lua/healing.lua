-- healing (part)
--
-- Keeps a payload for healing, or deletes it. An activity that heals keeps the content of its start and of the newest
-- update to the whole segment in a hash beside it. Both are as recorded, sealed or not, with the ids of their
-- broadcasts. An end deletes the hash. Until then, an item in the due queue has the activity searched.

local function keep_for_healing(activity, due, activity_id, name, payload, broadcast, now, expires_at)
    local kept, item = activity .. ':heal', 'h:' .. activity_id
    if not name then
        redis.call('DEL', kept)
        redis.call('ZREM', due, item)
        return
    end
    redis.call('HSET', kept, name, payload, name .. '_id', broadcast)
    redis.call('PEXPIREAT', kept, expires_at)
    if name == 'start' then redis.call('ZADD', due, now, item) end
end
