-- note-starts (writes)
--
-- Counts restarts of followers who have lost their Live Activity, up to a limit in an hour.
--
-- KEYS
--   topic
-- ARGV
--   now: epoch ms
--   most: restarts of a user in an hour
--   users...: insider_ids
-- Reply: [int]
--   for each user 0 if a restart is allowed, else the earliest time of the next one, epoch ms
-- Includes: write-rights

require_writes(topic, 'PEXPIRE')
local hour, replies = 3600000, {}
local now, most = tonumber(now), tonumber(most)
for position = users_at, #ARGV do
    local times = redis.call('HGET', topic .. '/h', ARGV[position]) or ''
    while #times >= 6 and struct.unpack('<I6', times) <= now - hour do times = string.sub(times, 7) end
    if #times < 6 * most then
        redis.call('HSET', topic .. '/h', ARGV[position], times .. struct.pack('<I6', now))
        replies[#replies + 1] = '0'
    else
        local oldest = #times >= 6 and struct.unpack('<I6', times) or now
        replies[#replies + 1] = string.format('%.0f', oldest + hour)
    end
end
redis.call('PEXPIRE', topic .. '/h', hour)
return replies
