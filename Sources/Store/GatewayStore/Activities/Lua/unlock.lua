-- unlock (writes)
--
-- Gives a lock back, if it is still the caller's.
--
-- KEYS
--   lock
-- ARGV
--   token: the caller's
-- Reply: 1 or 0

if redis.call('GET', lock) ~= token then return 0 end
return redis.call('DEL', lock)
