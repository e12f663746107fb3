-- drop-start-pages (writes)
--
-- Drops start pages of a partition that a broadcast has done with, unless they are a later one's.
--
-- KEYS
--   counters
--   start_pages...
-- ARGV
--   broadcast
-- Reply: how many were dropped

local restart = redis.call('HGET', counters, 'restart')
if restart and restart ~= broadcast then return 0 end
-- How many tokens they hold is asked before the activity's own start alone.
redis.call('HDEL', counters, 'startable')
return redis.call('UNLINK', unpack(KEYS, start_pages_at))
