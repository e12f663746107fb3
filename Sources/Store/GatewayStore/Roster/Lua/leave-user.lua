-- leave-user (writes)
--
-- Deletes a user's membership if it is still what it was.
--
-- KEYS
--   user
-- ARGV
--   field
--   expected: value
-- Reply: 1 when it was deleted, 0 when there is none or another one

if redis.call('HGET', user, field) ~= expected then return 0 end
return redis.call('HDEL', user, field)
