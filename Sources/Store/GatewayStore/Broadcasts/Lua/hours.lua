-- hours (part)
--
-- The updates of an activity that were pushed in the running hour. An update counts when its first job's turn has come:
-- one that is superseded before, or is not recorded at all, does not.

-- How many updates the running hour has had.
local function updates_of_hour(now, hour, count)
    return hour == string.format('%.0f', math.floor(now / 3600000)) and tonumber(count) or 0
end

-- Counts an update to the running hour, and tells how many that has had.
local function count_update(activity, now)
    local hour, count = unpack(redis.call('HMGET', activity, 'hour', 'hour_updates'))
    local updates = updates_of_hour(now, hour, count) + 1
    redis.call('HSET', activity, 'hour', string.format('%.0f', math.floor(now / 3600000)), 'hour_updates', updates)
    return updates
end
