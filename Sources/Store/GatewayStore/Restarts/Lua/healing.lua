-- healing (part)
--
-- Keeps a payload, or drops what is kept. An activity that heals keeps the content of its start, and of the newest
-- update to the whole segment, in a hash beside it: both as they were recorded, sealed or not, with the broadcasts that
-- they belong to. An end deletes it; while it is there an item in the due queue has the activity looked at.

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
