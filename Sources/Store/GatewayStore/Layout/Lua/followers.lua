-- followers (part)
--
-- Counts the devices that show the Live Activity by their delivery status, in the partition's counters: those that a
-- push to the activity's channel reaches. Right where nobody comes in after the start, as in the bands of followers.

local function accepted_in(statuses)
    local _, number = string.gsub(statuses, STATUS_BYTE.start_accepted, '')
    return number
end

-- Takes in that delivery statuses have become others.
local function count_followers(counters, before, after, expires_at)
    local growth = accepted_in(after) - accepted_in(before)
    if growth == 0 then return end
    redis.call('HINCRBY', counters, 'following', growth)
    if expires_at then redis.call('PEXPIREAT', counters, expires_at) end
end
