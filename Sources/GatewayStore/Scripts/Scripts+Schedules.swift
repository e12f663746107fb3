import RedisClient

// A schedule is a hash under its activity, beside two lists of ids: those that wait, by when they are due, and those that
// have ended, the newest hundred. Its time is an item of the shard's due queue: it is carried out by whoever takes the
// item away, in the step that records what comes of it.
extension Scripts {
    /// How many schedules that have ended are kept for an activity.
    static let schedulesKept = 100

    /// For use within other scripts: `schedule_item` tells whether a schedule is still to be carried out, `end_schedule`
    /// takes it out of the queue, drops what it was to send and notes how it ended, with one more field.
    static let endSchedule = """
        local function schedule_item(due, activity_id, id)
            return redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id)
        end

        local function end_schedule(activity, due, activity_id, id, now, state, field, value)
            redis.call('ZREM', due, 's:' .. activity_id .. ':' .. id)
            local key = activity .. ':s:' .. id
            redis.call('ZREM', activity .. ':s', id)
            redis.call('HDEL', key, 'before', 'after', 'targets')
            redis.call('HSET', key, 'state', state, 'ended_at', now)
            if field then redis.call('HSET', key, field, value) end
            local ended = activity .. ':p'
            redis.call('ZADD', ended, now, id)
            redis.call('PEXPIRE', ended, redis.call('PTTL', key))
            for _, old in ipairs(redis.call('ZRANGE', ended, 0, \(-schedulesKept - 1))) do
                redis.call('ZREM', ended, old)
                redis.call('DEL', activity .. ':s:' .. old)
            end
        end

        """
}
