-- drop-start-pages (writes)
--
-- Drops start pages of a partition that a broadcast has done with, unless they are a later one's.
--
-- KEYS
--   counters
--   start_pages...
-- ARGV
--   broadcast
-- Reply: 1, 0 when they are a later one's
-- Includes: pages

local restart = redis.call('HGET', counters, 'restart')
if restart and restart ~= broadcast then return 0 end
-- How many tokens they hold is asked before the activity's own start alone.
local gone = { 'startable' }
for at = start_pages_at, #KEYS do gone[#gone + 1] = select(2, place_of(KEYS[at])) end
redis.call('HDEL', counters, unpack(gone))
redis.call('UNLINK', unpack(KEYS, start_pages_at))
return 1
