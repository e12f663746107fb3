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
--   first_push: when its first push left, epoch ms, '' when none did
--   last_push: likewise
-- Reply: -1 when the job is no longer the gateway's, 0 when others are left (this one is gone), 1 when it was the
--   last: the broadcast is to be finished, and the job removed then
-- Includes: job-entries

local function earlier(one, other)
    return one and tonumber(one) < tonumber(other) and one or other
end

local function later(one, other)
    return one and tonumber(one) > tonumber(other) and one or other
end

if not is_taken_by(stream, entry, consumer) then return -1 end
if sent == 'sent' and redis.call('EXISTS', activity) == 1 then redis.call('HSET', activity, 'turn', part) end
local is = redis.call('HMGET', broadcast, 'state', 'jobs')
if is[1] == BROADCAST.queued or is[1] == BROADCAST.running then
    if redis.call('HSETNX', broadcast, 'd' .. part, '1') == 1 then
        redis.call('HINCRBY', broadcast, 'jobs_done', 1)
        if first_push ~= '' then
            local times = redis.call('HMGET', broadcast, 'first_push', 'last_push')
            redis.call('HSET', broadcast,
                'first_push', earlier(times[1], first_push), 'last_push', later(times[2], last_push))
        end
    end
    if tonumber(redis.call('HGET', broadcast, 'jobs_done')) < tonumber(is[2]) then
        if keep ~= 'keep' then remove(stream, entry) end
        return 0
    end
end
return 1
