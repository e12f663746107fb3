-- renew-jobs (writes)
--
-- Renews a gateway's claim to its jobs, or sets their idle time, so that other gateways take them at once.
--
-- KEYS
--   lanes...: streams
-- ARGV
--   consumer
--   idle: idle time to set, ms
--   jobs...(2): lane and entry
-- Reply: [text] (the entries that the gateway has lost)
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
