-- give-back-items (writes)
--
-- Gives back items of the due queue for which there was no room. Skips items that were completed, taken or postponed
-- meanwhile.
--
-- KEYS
--   due: queue
-- ARGV
--   taken_until: end of the time for which they were taken, epoch ms
--   at: time at which they may be taken again, epoch ms
--   items...
-- Reply: int (number of items given back)

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
