-- recent (part)
--
-- The newest broadcasts of an activity, the newest first: a field of its hash. Each entry is the last six bytes of an
-- id, because the other ten are the activity's. The list `…:recent` has broadcasts that are not named after their
-- activity.
-- Includes: ended-broadcasts

local function list_recent(list, id, kept_until)
    redis.call('LPUSH', list, id)
    redis.call('LTRIM', list, 0, LIMIT.recent_broadcasts - 1)
    redis.call('PEXPIREAT', list, kept_until)
end

-- Adds a broadcast. Returns the new value of the field `recent`; nil if the list has the broadcast.
local function recent_with(recent, activity, id, packed_id, kept_until)
    if not field_of_ended(activity, id) then
        list_recent(activity .. ':recent', id, kept_until)
        return nil
    end
    return string.sub(packed_id, -6) .. string.sub(recent or '', 1, 6 * (LIMIT.recent_broadcasts - 1))
end
