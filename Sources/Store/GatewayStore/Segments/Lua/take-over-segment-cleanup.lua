-- take-over-segment-cleanup (writes)
--
-- Takes over a cleanup task `w` from a gateway that is gone: from now on the change cannot be carried through.
--
-- KEYS
--   cleanups
-- ARGV
--   writer: the change's id
--   cleanup: as it was read
-- Reply: 1, or 0 when the cleanup task has changed

if redis.call('HGET', cleanups, writer) ~= cleanup then return 0 end
redis.call('HSET', cleanups, writer, 'x' .. string.sub(cleanup, 2))
return 1
