-- postpone-healing (writes)
--
-- Has an activity looked at again at a time, while it is healed.
--
-- KEYS
--   healing: what is kept for it
--   due: queue
-- ARGV
--   item: in the queue
--   due_at: epoch ms
--   page: to look at next
-- Reply: 1, or 0 when the activity is over

if redis.call('EXISTS', healing) == 0 then
    redis.call('ZREM', due, item)
    return 0
end
redis.call('HSET', healing, 'page', page)
redis.call('ZADD', due, 'XX', due_at, item)
return 1
