-- take-over-segment-chore (writes)
--
-- Takes over a chore `w` from a gateway that is gone: from now on the change cannot be carried through.
--
-- KEYS
--   chores
-- ARGV
--   writer: the change's id
--   chore: as it was read
-- Reply: 1, or 0 when the chore has changed

if redis.call('HGET', chores, writer) ~= chore then return 0 end
redis.call('HSET', chores, writer, 'x' .. string.sub(chore, 2))
return 1
