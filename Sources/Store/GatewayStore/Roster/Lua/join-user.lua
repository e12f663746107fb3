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
-- Reply: 1 when it was written, 0 when another one is there or the user has been erased, -1 when the user's hash is
--   full

if (redis.call('HGET', user, field) or '') ~= expected then return 0 end
if expected == '' then
    local fields = redis.call('HLEN', user)
    if fields == 0 then return 0 end
    if fields >= LIMIT.fields_of_user then return -1 end
end
redis.call('HSET', user, field, value)
return 1
