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
    local entry = string.sub(packed_id, -6)
    recent = recent or ''
    -- A broadcast that was withdrawn may be recorded again.
    local at = string.find(recent, entry, 1, true)
    if at and at % 6 == 1 then recent = string.sub(recent, 1, at - 1) .. string.sub(recent, at + 6) end
    return entry .. string.sub(recent, 1, 6 * (LIMIT.recent_broadcasts - 1))
end
