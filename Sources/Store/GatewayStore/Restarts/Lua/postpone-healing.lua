-- postpone-healing (writes)
--
-- Schedules the next search of an activity that heals.
--
-- KEYS
--   healing: content kept for healing
--   due: queue
-- ARGV
--   item: in the queue
--   due_at: epoch ms
--   page: first page of the next search
-- Reply: flag (false if the activity has ended)

if redis.call('EXISTS', healing) == 0 then
    redis.call('ZREM', due, item)
    return 0
end
redis.call('HSET', healing, 'page', page)
redis.call('ZADD', due, 'XX', due_at, item)
return 1
