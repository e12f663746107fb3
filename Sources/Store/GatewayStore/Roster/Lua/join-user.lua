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
-- Reply: 1 when it was written, 0 when another one is there, -1 when the user's hash is full

if (redis.call('HGET', user, field) or '') ~= expected then return 0 end
if expected == '' and redis.call('HLEN', user) >= LIMIT.fields_of_user then return -1 end
redis.call('HSET', user, field, value)
return 1
