-- complete-job (writes)
--
-- Notes that a job has no page left.
--
-- KEYS
--   stream
--   broadcast
--   activity
-- ARGV
--   consumer
--   entry
--   part
--   keep: 'keep' when the job has something left to tell
--   sent: 'sent' when it has sent something of an update to the whole segment
-- Reply: -1 when the job is no longer the gateway's, 0 when others are left (this one is gone), 1 when it was the
--   last: the broadcast is to be finished, and the job removed then
-- Includes: job-entries

if not is_taken_by(stream, entry, consumer) then return -1 end
if sent == 'sent' and redis.call('EXISTS', activity) == 1 then redis.call('HSET', activity, 'turn', part) end
local is = redis.call('HMGET', broadcast, 'state', 'jobs')
if is[1] == BROADCAST.queued or is[1] == BROADCAST.running then
    if redis.call('HSETNX', broadcast, 'd' .. part, '1') == 1 then
        redis.call('HINCRBY', broadcast, 'jobs_done', 1)
    end
    if tonumber(redis.call('HGET', broadcast, 'jobs_done')) < tonumber(is[2]) then
        if keep ~= 'keep' then remove(stream, entry) end
        return 0
    end
end
return 1
