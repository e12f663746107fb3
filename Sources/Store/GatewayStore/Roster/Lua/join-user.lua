-- join-user (writes)
--
-- Writes a user's membership if it equals the expected one.
--
-- KEYS
--   user
-- ARGV
--   field
--   expected: value, '' for none
--   value
-- Reply: flag (false if there is another value or the user has been erased)

if (redis.call('HGET', user, field) or '') ~= expected then return 0 end
if expected == '' and redis.call('EXISTS', user) == 0 then return 0 end
redis.call('HSET', user, field, value)
return 1
