-- join-user (writes)
--
-- Writes a user's membership if it is still what it was.
--
-- KEYS
--   user
-- ARGV
--   field
--   expected: value, '' for none
--   value
-- Reply: 1 when it was written, 0 when another one is there or the user has been erased

if (redis.call('HGET', user, field) or '') ~= expected then return 0 end
if expected == '' and redis.call('EXISTS', user) == 0 then return 0 end
redis.call('HSET', user, field, value)
return 1
