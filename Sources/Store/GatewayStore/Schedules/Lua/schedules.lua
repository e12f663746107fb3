-- schedules (part)
--
-- A schedule is a hash under its activity, beside two lists of ids: those that wait, by when they are due, and those
-- that have ended, the newest hundred. Its time is an item of the shard's due queue: it is carried out by whoever takes
-- the item away, in the step that records what comes of it.
--
-- One that a user's app has made has an owner, and waits in two lists of its own: that of its user (`:us:` and the
-- insider_id) and that of all users (`:us`). When it has ended nothing is kept of it.
--
-- `owner_of` gives the owner, or false. `is_waiting` tells whether a schedule is still to be carried out, as it was
-- read; `end_schedule` takes it out of the queue, drops what it was to send and notes how it ended, with one more
-- field.

local function is_waiting(activity, due, activity_id, id, version)
    return redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id)
        and (redis.call('HGET', activity .. ':s:' .. id, 'v') or '0') == version
end

local function owner_of(activity, id)
    return redis.call('HGET', activity .. ':s:' .. id, 'owner')
end

local function end_schedule(activity, due, activity_id, id, now, state, field, value)
    redis.call('ZREM', due, 's:' .. activity_id .. ':' .. id)
    local key = activity .. ':s:' .. id
    local owner = owner_of(activity, id)
    if owner then
        redis.call('ZREM', activity .. ':us', id)
        redis.call('ZREM', activity .. ':us:' .. owner, id)
        redis.call('DEL', key)
        return
    end
    redis.call('ZREM', activity .. ':s', id)
    redis.call('HDEL', key, 'before', 'after', 'targets')
    redis.call('HSET', key, 'state', state, 'ended_at', now)
    if field then redis.call('HSET', key, field, value) end
    local ended = activity .. ':p'
    redis.call('ZADD', ended, now, id)
    redis.call('PEXPIRE', ended, redis.call('PTTL', key))
    for _, old in ipairs(redis.call('ZRANGE', ended, 0, -LIMIT.ended_schedules - 1)) do
        redis.call('ZREM', ended, old)
        redis.call('DEL', activity .. ':s:' .. old)
    end
end
