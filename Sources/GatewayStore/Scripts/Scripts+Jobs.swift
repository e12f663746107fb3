import RedisClient

// Jobs are entries of streams, one for each shard and lane, in a consumer group that all gateways share. An entry goes
// when its job has ended, and a stream when it is empty, so that nothing is left behind. The scripts below touch keys of
// one shard only.
extension Scripts {
    /// The consumer group of every stream of jobs.
    private static let group = "gateways"

    /// What the scripts of the streams share.
    private static let entries = """
        local function is_taken_by(stream, id, consumer)
            if redis.call('EXISTS', stream) == 0 then return false end
            local pending = redis.call('XPENDING', stream, '\(group)', id, id, 1)
            return #pending == 1 and pending[1][2] == consumer
        end

        local function remove(stream, id)
            redis.call('XACK', stream, '\(group)', id)
            redis.call('XDEL', stream, id)
            if redis.call('XLEN', stream) == 0 then redis.call('DEL', stream) end
        end

        """

    /// Adds a job. For use within other scripts.
    static let addJob = """
        local function add_job(stream, broadcast, activity, part)
            if redis.call('EXISTS', stream) == 0 then
                redis.call('XGROUP', 'CREATE', stream, '\(group)', '0', 'MKSTREAM')
            end
            redis.call('XADD', stream, '*', 'b', broadcast, 'a', activity, 'p', part)
        end

        """

    /// Adds the job of a late end, or of an update that is sent to a device which has missed it.
    ///
    /// KEYS: stream. ARGV: broadcast, activity, part.
    static let addLateEnd = RedisScript(
        name: "add-late-end",
        source: addJob + """
            add_job(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
            return 1
            """)

    /// Takes jobs: first those whose gateway has not been heard of, then new ones, the oldest first. And items of the due
    /// queue whose time has come: others take them again after a while, unless they have been carried out.
    ///
    /// KEYS: the streams of the lanes, unfinished broadcasts, due queue. ARGV: consumer, how long a job's gateway
    /// must have been silent in ms, how many jobs of each lane, how many items, now in epoch ms, when the items may be
    /// taken again.
    /// Reply: {unfinished broadcasts, {item ...}, lane, entry, broadcast, activity, part, lane ...}.
    static let takeJobs = RedisScript(
        name: "take-jobs",
        source: """
            local due = {}
            if tonumber(ARGV[6]) > 0 then
                due = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', ARGV[7], 'LIMIT', 0, ARGV[6])
                for _, item in ipairs(due) do redis.call('ZADD', KEYS[5], ARGV[8], item) end
            end
            -- As it nearly always is.
            if #due == 0 and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4]) == 0 then return { '0' } end
            local taken = { tostring(redis.call('ZCOUNT', KEYS[4], ARGV[7], '+inf')), due }
            local function take(lane, list)
                local count = 0
                for _, entry in ipairs(list) do
                    -- An entry that was deleted is claimed without fields.
                    if entry and entry[2] then
                        local field = {}
                        for index = 1, #entry[2], 2 do field[entry[2][index]] = entry[2][index + 1] end
                        for _, value in ipairs({ lane - 1, entry[1], field.b, field.a, field.p }) do
                            taken[#taken + 1] = tostring(value)
                        end
                        count = count + 1
                    end
                end
                return count
            end
            for lane = 1, 3 do
                local wanted = tonumber(ARGV[2 + lane])
                if wanted > 0 and redis.call('EXISTS', KEYS[lane]) == 1 then
                    local cursor = '0-0'
                    for _ = 1, 50 do
                        local claimed = redis.call('XAUTOCLAIM', KEYS[lane], '\(group)', ARGV[1], ARGV[2], cursor,
                            'COUNT', wanted)
                        wanted = wanted - take(lane, claimed[2])
                        cursor = claimed[1]
                        if cursor == '0-0' or wanted <= 0 then break end
                    end
                    if wanted > 0 then
                        local read = redis.call('XREADGROUP', 'GROUP', '\(group)', ARGV[1], 'COUNT', wanted,
                            'STREAMS', KEYS[lane], '>')
                        if read then take(lane, read[1][2]) end
                    end
                end
            end
            return taken
            """)

    /// Says that a gateway is still at work on its jobs, or, with a time, that they have been idle for so long: others
    /// then take them at once.
    ///
    /// KEYS: the streams of the lanes. ARGV: consumer, idle time in ms, then lane and entry of each job.
    /// Reply: the entries that are no longer the gateway's.
    static let renewJobs = RedisScript(
        name: "renew-jobs",
        source: entries + """
            local lost = {}
            for index = 3, #ARGV, 2 do
                local stream, id = KEYS[ARGV[index] + 1], ARGV[index + 1]
                if is_taken_by(stream, id, ARGV[1]) then
                    redis.call('XCLAIM', stream, '\(group)', ARGV[1], 0, id, 'IDLE', ARGV[2], 'JUSTID')
                else
                    lost[#lost + 1] = id
                end
            end
            return lost
            """)

    /// Whether a job's turn has come: it may leave by now, and the older updates and ends of its activity have nothing left
    /// to do where it works. A start holds up nothing, for whoever can be updated has been started; nor does an update that
    /// was superseded before it began. That one itself sends nothing, and so waits for nobody; it never counts as running.
    ///
    /// KEYS: open broadcasts, broadcast. ARGV: what the keys of the activity's broadcasts begin with, order number, part,
    /// now in epoch ms, 'late' for a late end, whose broadcast may have ended. Reply: 1, 0 when others come first, -1 when the broadcast has ended.
    static let isJobDue = RedisScript(
        name: "is-job-due",
        source: """
            local now = tonumber(ARGV[4])
            local is = redis.call('HMGET', KEYS[2], 'state', 'kind', 'superseded', 'not_before')
            local state = is[1]
            if state ~= 'queued' and state ~= 'running' and ARGV[5] ~= 'late' then return -1 end
            if is[2] == 'update' and is[3] and tonumber(is[3]) <= now then return 1 end
            local left = (tonumber(is[4]) or 0) - now
            if left > 0 and left <= \(longestWait) then return 0 end
            local open = redis.call('HGETALL', KEYS[1])
            for index = 1, #open, 2 do
                local id, kind, scope = string.match(open[index + 1], '^(.-):(.-):(.-)$')
                -- One whose record has vanished will never be done.
                if tonumber(open[index]) < tonumber(ARGV[2]) and kind ~= 'start'
                    and redis.call('EXISTS', ARGV[1] .. id) == 1 then
                    local older = redis.call('HMGET', ARGV[1] .. id, 'state', 'superseded', 'd' .. ARGV[3])
                    local sends = not (kind == 'update' and older[1] == 'queued' and older[2]
                        and tonumber(older[2]) <= now)
                    if sends and (ARGV[3] == '*' or scope ~= 'whole' or not older[3]) then return 0 end
                end
            end
            if state == 'queued' and ARGV[5] ~= 'late' then
                redis.call('HSET', KEYS[2], 'state', 'running', 'started_at', ARGV[4])
            end
            return 1
            """)

    /// Notes that a job has no page left.
    ///
    /// KEYS: stream, broadcast, activity. ARGV: consumer, entry, part, 'keep' when the job has something left to tell,
    /// 'sent' when it has sent something of an update to the whole segment.
    /// Reply: -1 when the job is no longer the gateway's, 0 when others are left (this one is gone), 1 when it was the
    /// last: the broadcast is to be sealed, and the job removed then.
    static let completeJob = RedisScript(
        name: "complete-job",
        source: entries + """
            if not is_taken_by(KEYS[1], ARGV[2], ARGV[1]) then return -1 end
            if ARGV[5] == 'sent' and redis.call('EXISTS', KEYS[3]) == 1 then redis.call('HSET', KEYS[3], 'turn', ARGV[3]) end
            local is = redis.call('HMGET', KEYS[2], 'state', 'jobs')
            if is[1] == 'queued' or is[1] == 'running' then
                if redis.call('HSETNX', KEYS[2], 'd' .. ARGV[3], '1') == 1 then
                    redis.call('HINCRBY', KEYS[2], 'jobs_done', 1)
                end
                if tonumber(redis.call('HGET', KEYS[2], 'jobs_done')) < tonumber(is[2]) then
                    if ARGV[4] ~= 'keep' then remove(KEYS[1], ARGV[2]) end
                    return 0
                end
            end
            return 1
            """)

    /// Removes a job that has nothing left to do.
    ///
    /// KEYS: stream. ARGV: consumer, entry. Reply: 1, or 0 when the job is no longer the gateway's.
    static let removeJob = RedisScript(
        name: "remove-job",
        source: entries + """
            if not is_taken_by(KEYS[1], ARGV[2], ARGV[1]) then return 0 end
            remove(KEYS[1], ARGV[2])
            return 1
            """)

    /// Writes how a broadcast ended, once.
    ///
    /// KEYS: broadcast, open broadcasts, unfinished broadcasts, activity, count of those that earlier versions have
    /// recorded. ARGV: order number, 'keep' when the content is needed further on, id, its member of the unfinished
    /// broadcasts, then fields and values. Reply: 1, or 0 when it was sealed before.
    static let sealBroadcast = RedisScript(
        name: "seal-broadcast",
        source: """
            local state = redis.call('HGET', KEYS[1], 'state')
            if state ~= 'queued' and state ~= 'running' then return 0 end
            local gone = { 'jobs_done', 'superseded', 'not_before', 'stop', 'paused', 'paused_at' }
            if ARGV[2] ~= 'keep' and redis.call('HGET', KEYS[4], 'newest_update') ~= ARGV[3] then
                gone[#gone + 1] = 'payload'
                gone[#gone + 1] = 'scope'
            end
            for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
                if string.match(field, '^d[0-9*]+$') then gone[#gone + 1] = field end
                if #gone >= 1000 then
                    redis.call('HDEL', KEYS[1], unpack(gone))
                    gone = { 'stop' }
                end
            end
            redis.call('HDEL', KEYS[1], unpack(gone))
            redis.call('HSET', KEYS[1], unpack(ARGV, 5))
            redis.call('HDEL', KEYS[2], ARGV[1])
            if redis.call('ZREM', KEYS[3], ARGV[4]) == 0 and redis.call('EXISTS', KEYS[5]) == 1
                and redis.call('DECR', KEYS[5]) <= 0 then
                redis.call('DEL', KEYS[5])
            end
            return 1
            """)

    /// Forgets unfinished broadcasts whose record, or whose activity, is gone: evicted, lost or expired.
    ///
    /// KEYS: unfinished broadcasts. ARGV: what the keys of the shard's activities begin with, how many to look at.
    /// Reply: the members that were forgotten.
    static let forgetVanished = RedisScript(
        name: "forget-vanished",
        source: """
            local vanished = {}
            for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[2] - 1)) do
                local activity, id = string.match(member, '^(.-):(.*)$')
                local key = ARGV[1] .. activity
                if redis.call('EXISTS', key, key .. ':b:' .. id) < 2 then
                    redis.call('ZREM', KEYS[1], member)
                    local open = redis.call('HGETALL', key .. ':open')
                    for index = 2, #open, 2 do
                        if string.sub(open[index], 1, #id + 1) == id .. ':' then
                            redis.call('HDEL', key .. ':open', open[index - 1])
                        end
                    end
                    vanished[#vanished + 1] = member
                end
            end
            return vanished
            """)
}
