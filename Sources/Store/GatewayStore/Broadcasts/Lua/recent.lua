-- recent (part)
--
-- The newest broadcasts of an activity, the newest first: a field of its hash. Where the hash has ended ones too, each
-- is the last six bytes of an id, in which alone it differs from the activity's, else sixteen. Those that are not named
-- after their activity are then in a list beside it.
-- Includes: ended-broadcasts

local function list_recent(list, id, kept_until)
    redis.call('LPUSH', list, id)
    redis.call('LTRIM', list, 0, LIMIT.recent_broadcasts - 1)
    redis.call('PEXPIREAT', list, kept_until)
end

-- Notes a broadcast. What the field `recent` is to be then; nil when the broadcast was listed.
local function recent_with(recent, activity, id, packed_id, has_ended, kept_until)
    if has_ended and not field_of_ended(activity, id) then
        list_recent(activity .. ':recent', id, kept_until)
        return nil
    end
    local length = has_ended and 6 or 16
    return string.sub(packed_id, -length) .. string.sub(recent or '', 1, length * (LIMIT.recent_broadcasts - 1))
end
