-- unlock (writes)
--
-- Releases a lock if the caller still holds it.
--
-- KEYS
--   lock
-- ARGV
--   token: the caller's
-- Reply: flag (false if the caller no longer holds the lock)

if redis.call('GET', lock) ~= token then return 0 end
return redis.call('DEL', lock)
