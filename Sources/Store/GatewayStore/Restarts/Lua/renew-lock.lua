-- renew-lock (writes)
--
-- Keeps a lock for longer, if it is still the caller's.
--
-- KEYS
--   lock
-- ARGV
--   token: the caller's
--   lifetime: ms
-- Reply: flag

if redis.call('GET', lock) ~= token then return 0 end
return redis.call('PEXPIRE', lock, lifetime)
