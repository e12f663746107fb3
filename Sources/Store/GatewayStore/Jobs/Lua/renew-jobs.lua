-- renew-jobs (writes)
--
-- Says that a gateway is still at work on its jobs, or, with a time, that they have been idle for so long: others
-- then take them at once.
--
-- KEYS
--   lanes...: streams
-- ARGV
--   consumer
--   idle: ms
--   jobs...(2): lane and entry
-- Reply: the entries that are no longer the gateway's
-- Includes: job-entries

local lost = {}
for index = jobs_at, #ARGV, 2 do
    local stream, id = KEYS[lanes_at + ARGV[index]], ARGV[index + 1]
    if is_taken_by(stream, id, consumer) then
        redis.call('XCLAIM', stream, JOB.group, consumer, 0, id, 'IDLE', idle, 'JUSTID')
    else
        lost[#lost + 1] = id
    end
end
return lost
