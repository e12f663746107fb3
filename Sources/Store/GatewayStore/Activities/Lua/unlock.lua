-- unlock (writes)
--
-- Releases a lock if the caller still holds it.
--
-- KEYS
--   lock
-- ARGV
--   token: the caller's
-- Reply: 1 or 0

if redis.call('GET', lock) ~= token then return 0 end
return redis.call('DEL', lock)
