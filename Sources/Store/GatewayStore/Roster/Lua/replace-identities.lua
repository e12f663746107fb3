-- replace-identities (writes)
--
-- Writes who a run of slots is, if it is still what it was.
--
-- KEYS
--   identities
-- ARGV
--   first: index
--   expected
--   run
-- Reply: 1 when it was written, 0 when another one is there

if redis.call('HGET', identities, first) ~= expected then return 0 end
redis.call('HSET', identities, first, run)
return 1
