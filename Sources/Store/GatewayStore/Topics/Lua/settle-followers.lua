-- settle-followers (writes)
--
-- Takes followers off the queue who have been seen to, unless they were queued anew meanwhile.
--
-- KEYS
--   topic
-- ARGV
--   entries...(2): user, and when the user was to be seen to
-- Reply: how many were taken off

local count = 0
for position = entries_at, #ARGV, 2 do
    local user = ARGV[position]
    if redis.call('ZSCORE', topic .. '/q', user) == ARGV[position + 1] then
        count = count + redis.call('ZREM', topic .. '/q', user)
    end
end
return count
