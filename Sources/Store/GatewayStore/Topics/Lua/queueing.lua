-- queueing (part)
--
-- Has a user seen to by a topic's driver.

-- An entry that is there already is seen to at the earlier of both times. Its score changes in any case: a driver that
-- has read it before does not take it off the queue.
local function queue_user(topic, user, at)
    local is = tonumber(redis.call('ZSCORE', topic .. '/q', user))
    local score = tonumber(at)
    if is and is <= score then score = is + 1 end
    redis.call('ZADD', topic .. '/q', string.format('%.0f', score), user)
    return is == nil
end
