-- queueing (part)
--
-- Queues a user for a topic's driver.

-- Returns true if the user was not queued before. An existing entry keeps the earlier of both times. Its score always
-- changes, so a driver that has read it before does not remove it.
local function queue_user(topic, user, at)
    local is = tonumber(redis.call('ZSCORE', topic .. '/q', user))
    local score = tonumber(at)
    if is and is <= score then score = is + 1 end
    redis.call('ZADD', topic .. '/q', string.format('%.0f', score), user)
    return is == nil
end
