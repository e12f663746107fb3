-- settle-followers (writes)
--
-- Removes processed followers from the queue, unless they were queued again in the meantime.
--
-- KEYS
--   topic
-- ARGV
--   entries...(2): user, and score as it was read
-- Reply: int (the number of removed followers)

local count = 0
for position = entries_at, #ARGV, 2 do
    local user = ARGV[position]
    if redis.call('ZSCORE', topic .. '/q', user) == ARGV[position + 1] then
        count = count + redis.call('ZREM', topic .. '/q', user)
    end
end
return count
