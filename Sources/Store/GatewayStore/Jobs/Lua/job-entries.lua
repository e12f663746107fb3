-- job-entries (part)
--
-- Functions for the entries of job streams.

local function is_taken_by(stream, id, consumer)
    if redis.call('EXISTS', stream) == 0 then return false end
    local pending = redis.call('XPENDING', stream, JOB.group, id, id, 1)
    return #pending == 1 and pending[1][2] == consumer
end

local function remove(stream, id)
    redis.call('XDEL', stream, id)
    -- The job is the consumer's until the last write, so that a repetition can complete it.
    if redis.call('XLEN', stream) == 0 then redis.call('DEL', stream) else redis.call('XACK', stream, JOB.group, id) end
end
