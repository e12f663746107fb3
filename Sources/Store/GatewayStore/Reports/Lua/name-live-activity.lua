-- name-live-activity (writes)
--
-- Notes the name that iOS gave to a Live Activity.
--
-- KEYS
--   user
-- ARGV
--   field
--   value
-- Reply: 1, also when the user has been erased meanwhile, or 0 when the user's hash is full

if redis.call('EXISTS', user) == 0 then return 1 end
if redis.call('HEXISTS', user, field) == 0 and redis.call('HLEN', user) >= LIMIT.fields_of_user then
    return 0
end
redis.call('HSET', user, field, value)
return 1
