-- add-job (part)
--
-- Adds a job. Jobs are entries of streams, one for each shard and lane, in a consumer group that all gateways share.
-- An entry goes when its job has ended, and a stream when it is empty, so that nothing is left behind.

local function add_job(stream, broadcast, activity, part)
    if redis.call('EXISTS', stream) == 0 then
        redis.call('XGROUP', 'CREATE', stream, JOB.group, '0', 'MKSTREAM')
    end
    redis.call('XADD', stream, '*', 'b', broadcast, 'a', activity, 'p', part)
end
