-- give-back-items (writes)
--
-- Gives items of the due queue back that were taken and that there was no room for. One that has been carried out
-- meanwhile, or that somebody else has taken or put off, stays as it is.
--
-- KEYS
--   due: queue
-- ARGV
--   taken_until: until when they were taken, epoch ms
--   at: when they may be taken again, epoch ms
--   items...
-- Reply: how many were given back

local score_of_taken = tonumber(taken_until)
local count = 0
for index = items_at, #ARGV do
    local score = redis.call('ZSCORE', due, ARGV[index])
    if score and tonumber(score) == score_of_taken then
        redis.call('ZADD', due, at, ARGV[index])
        count = count + 1
    end
end
return count
