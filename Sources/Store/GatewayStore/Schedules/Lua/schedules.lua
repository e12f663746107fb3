-- schedules (part)
--
-- A schedule is a hash under its activity. Two lists have its id: the waiting schedules by due time, and the newest
-- hundred ended ones. Its item in the shard's due queue is removed in the step that records its result.
--
-- A schedule of a user's app has an owner. It waits in the user's list (`:us:` and the insider_id) and in that of all
-- users (`:us`). It is deleted at its end.
--
-- The function `owner_of` returns the owner, or false. The function `is_waiting` returns true if a schedule still waits
-- in the version that was read. The function `end_schedule` removes a schedule from the queue, deletes its content and
-- records its end, with one more field. The schedule waits until the last write, which removes its item.

local function is_waiting(activity, due, activity_id, id, version)
    return redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id)
        and (redis.call('HGET', activity .. ':s:' .. id, 'v') or '0') == version
end

local function owner_of(activity, id)
    return redis.call('HGET', activity .. ':s:' .. id, 'owner')
end

local function end_schedule(activity, due, activity_id, id, now, state, field, value)
    local item = 's:' .. activity_id .. ':' .. id
    local key = activity .. ':s:' .. id
    local owner = owner_of(activity, id)
    if owner then
        redis.call('ZREM', activity .. ':us', id)
        redis.call('ZREM', activity .. ':us:' .. owner, id)
        redis.call('DEL', key)
        redis.call('ZREM', due, item)
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
    redis.call('ZREM', due, item)
end
