-- complete-job (writes)
--
-- Records that a job has no page left, or the times of the pushes of a job that is given back.
--
-- KEYS
--   stream
--   broadcast
--   activity
-- ARGV
--   consumer
--   entry
--   part
--   over: 'over' if the job has no page left
--   keep: 'keep' if the job has events left to publish
--   sent: 'sent' if it has sent pushes of an update to the whole segment
--   first_push: time of its first push, epoch ms, '' for none
--   last_push: time of its last push, epoch ms, '' for none
-- Reply: one of
--   lost = -1: the job is no longer the gateway's
--   others_left = 0: the script has removed this job, unless it is kept or not over
--   was_last = 1: the caller finishes the broadcast and removes the job
-- Includes: job-entries

local function earlier(one, other)
    return one and tonumber(one) < tonumber(other) and one or other
end

local function later(one, other)
    return one and tonumber(one) > tonumber(other) and one or other
end

if not is_taken_by(stream, entry, consumer) then return -1 end
if sent == 'sent' and redis.call('EXISTS', activity) == 1 then redis.call('HSET', activity, 'turn', part) end
local is = redis.call('HMGET', broadcast, 'state', 'jobs', 'jobs_done', 'd' .. part, 'first_push', 'last_push')
local times = {}
if first_push ~= '' then
    times = { 'first_push', earlier(is[5], first_push), 'last_push', later(is[6], last_push) }
end
local is_running = is[1] == BROADCAST.queued or is[1] == BROADCAST.running
if over ~= 'over' then
    if is_running and #times > 0 then redis.call('HSET', broadcast, unpack(times)) end
    return 0
end
if is_running then
    local done = tonumber(is[3]) or 0
    if not is[4] then
        done = done + 1
        redis.call('HSET', broadcast, 'd' .. part, '1', 'jobs_done', done, unpack(times))
    end
    if done < tonumber(is[2]) then
        if keep ~= 'keep' then remove(stream, entry) end
        return 0
    end
end
return 1
