-- drop-start-pages (writes)
--
-- Deletes start pages of a partition that a broadcast no longer needs, unless they are of a later start.
--
-- KEYS
--   counters
--   start_pages...
-- ARGV
--   broadcast
-- Reply: flag (false if they are of a later start)
-- Includes: pages

local restart = redis.call('HGET', counters, 'restart')
if restart and restart ~= broadcast then return 0 end
-- Only the activity's own start reads the number of their tokens beforehand.
local gone = { 'startable' }
for at = start_pages_at, #KEYS do gone[#gone + 1] = select(2, place_of(KEYS[at])) end
redis.call('HDEL', counters, unpack(gone))
redis.call('UNLINK', unpack(KEYS, start_pages_at))
return 1
