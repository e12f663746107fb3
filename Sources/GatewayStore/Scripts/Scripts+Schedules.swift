import RedisClient

// A schedule is a hash under its activity, beside two lists of ids: those that wait, by when they are due, and those that
// have ended, the newest hundred. Its time is an item of the shard's due queue: it is carried out by whoever takes the
// item away, in the step that records what comes of it.
extension Scripts {
    /// How many schedules that have ended are kept for an activity.
    static let schedulesKept = 100

    /// For use within other scripts: `is_waiting` tells whether a schedule is still to be carried out, as it was read;
    /// `end_schedule` takes it out of the queue, drops what it was to send and notes how it ended, with one more field.
    static let endSchedule = """
        local function is_waiting(activity, due, activity_id, id, version)
            return redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id)
                and (redis.call('HGET', activity .. ':s:' .. id, 'v') or '0') == version
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

    /// KEYS: activity, schedule, schedules that wait, due queue. ARGV: how many may wait, id, item, when it is due and when
    /// its record expires in epoch ms, then fields and values. Reply: 1, 3 when it is there already, 2 when no more may wait, 0
    /// when the activity is over.
    static let addSchedule = RedisScript(
        name: "add-schedule",
        source: """
            local state = redis.call('HGET', KEYS[1], 'state')
            if state ~= '0' and state ~= '1' then return 0 end
            -- The call may be repeated when its answer was lost.
            if redis.call('EXISTS', KEYS[2]) == 1 then return 3 end
            if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[1]) then return 2 end
            redis.call('HSET', KEYS[2], unpack(ARGV, 6))
            redis.call('PEXPIREAT', KEYS[2], ARGV[5])
            redis.call('ZADD', KEYS[3], ARGV[4], ARGV[2])
            redis.call('PEXPIREAT', KEYS[3], ARGV[5])
            redis.call('ZADD', KEYS[4], ARGV[4], ARGV[3])
            return 1
            """)

    /// Drops a schedule that waits, or gives it a shorter list of devices.
    ///
    /// KEYS: schedule, schedules that wait, due queue. ARGV: id, item, its version as it was read, devices ('' to drop it).
    /// Reply: 1, or 0 when it waits no longer or was changed.
    static let changeSchedule = RedisScript(
        name: "change-schedule",
        source: """
            if not redis.call('ZSCORE', KEYS[3], ARGV[2]) then return 0 end
            if (redis.call('HGET', KEYS[1], 'v') or '0') ~= ARGV[3] then return 0 end
            if ARGV[4] ~= '' then
                redis.call('HSET', KEYS[1], 'targets', ARGV[4])
                redis.call('HINCRBY', KEYS[1], 'v', 1)
                return 1
            end
            redis.call('ZREM', KEYS[3], ARGV[2])
            redis.call('ZREM', KEYS[2], ARGV[1])
            redis.call('DEL', KEYS[1])
            return 1
            """)

    /// KEYS: activity, due queue. ARGV: activity id, schedule id, now in epoch ms, state, reason ('' for none).
    /// Reply: 1, or 0 when it waits no longer.
    static let concludeSchedule = RedisScript(
        name: "conclude-schedule",
        source: endSchedule + """
            if not redis.call('ZSCORE', KEYS[2], 's:' .. ARGV[1] .. ':' .. ARGV[2]) then return 0 end
            end_schedule(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] ~= '' and 'reason', ARGV[5])
            return 1
            """)
}
