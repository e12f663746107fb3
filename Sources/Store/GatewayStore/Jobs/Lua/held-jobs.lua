-- held-jobs (part)
--
-- The job of a small broadcast may be leased to the gateway that records it, so that it needs no entry of a stream. A
-- hash of the shard has these jobs by activity and broadcast, separated by a colon. It also counts the broadcasts as
-- unfinished. When a job is given back, or its hold expires, it becomes an entry of the stream like any other.
-- Includes: unfinished, add-job, write-rights

-- The end of the hold in epoch ms, the hold, the expiry of the record in epoch ms, the part, and the tenant.
local function parts_of_held(value)
    return string.match(value, '^(%d+) (%S+) (%d+) (%S+) (.*)$')
end

-- `hold`: its end and name, separated by a blank.
local function put_held(held, member, hold, kept_until, part, tenant)
    redis.call('HSET', held, member, table.concat({ hold, kept_until, part, tenant }, ' '))
end

-- Adds a job to the stream and ends its hold. Drops a job whose activity or record no longer exists.
local function give_back(held, member, value, prefix, stream, unfinished, owners, counts)
    -- A job must not be added again.
    require_writes(held, 'HDEL')
    local activity_id, id = string.match(member, '^(.-):(.*)$')
    local activity = prefix .. activity_id
    local broadcast, open_broadcasts = activity .. ':b:' .. id, activity .. ':open'
    local _, _, kept_until, part, tenant = parts_of_held(value)
    if redis.call('EXISTS', activity, broadcast) == 2 then
        redis.call('PEXPIREAT', broadcast, kept_until)
        redis.call('PEXPIREAT', open_broadcasts, kept_until)
        redis.call('ZADD', unfinished, kept_until, member)
        count_for(owners, counts, member, tenant)
        add_job(stream, id, activity_id, part)
    else
        redis.call('PEXPIREAT', open_broadcasts, kept_until)
        redis.call('UNLINK', broadcast)
    end
    redis.call('HDEL', held, member)
end
