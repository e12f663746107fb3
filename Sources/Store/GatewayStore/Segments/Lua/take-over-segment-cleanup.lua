-- take-over-segment-cleanup (writes)
--
-- Takes over a cleanup task `w` from a lost gateway. The change can then no longer be installed.
--
-- KEYS
--   cleanups
-- ARGV
--   writer: the change's id
--   cleanup: as it was read
-- Reply: flag (false if the cleanup task has changed)

if redis.call('HGET', cleanups, writer) ~= cleanup then return 0 end
redis.call('HSET', cleanups, writer, 'x' .. string.sub(cleanup, 2))
return 1
