-- leave-user (writes)
--
-- Deletes a user's membership if it equals the expected one.
--
-- KEYS
--   user
-- ARGV
--   field
--   expected: value
-- Reply: flag (false if there is no value or another one)

if redis.call('HGET', user, field) ~= expected then return 0 end
return redis.call('HDEL', user, field)
