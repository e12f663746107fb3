-- followers (part)
--
-- Counts the devices with an accepted start in the partition's counters: a push to the activity's channel reaches them.
-- The count is right only where no device joins after the start, as in the bands of channel followers.

local function accepted_in(statuses)
    local _, number = string.gsub(statuses, STATUS_BYTE.start_accepted, '')
    return number
end

-- Adds the change of the count when delivery statuses change.
local function count_followers(counters, before, after, expires_at)
    local growth = accepted_in(after) - accepted_in(before)
    if growth == 0 then return end
    redis.call('HINCRBY', counters, 'following', growth)
    if expires_at then redis.call('PEXPIREAT', counters, expires_at) end
end
