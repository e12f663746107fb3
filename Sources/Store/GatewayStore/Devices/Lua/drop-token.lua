-- drop-token (writes)
--
-- Drops each of the fields whose value begins with a time (six bytes, little-endian) not later than the one given,
-- and goes on with the token given. That its owner is still noted stays beside the device, until whoever drops it has
-- released it: see `UserRecord`.
--
-- KEYS
--   user
-- ARGV
--   latest: epoch ms
--   token
--   fields...
-- Reply: how many fields were dropped
-- Includes: report-times

local dropped = 0
for position = fields_at, #ARGV do
    local value = redis.call('HGET', user, ARGV[position])
    if value and string.sub(value, 7) == token and time_of(value, 1) <= tonumber(latest) then
        redis.call('HINCRBY', user, 'v', 1)
        dropped = dropped + redis.call('HDEL', user, ARGV[position])
        local last = 2
        while (string.byte(ARGV[position], last) or 0) >= 128 do last = last + 1 end
        redis.call('HSET', user, 'r' .. string.sub(ARGV[position], 2, last) .. token, '')
    end
end
return dropped
