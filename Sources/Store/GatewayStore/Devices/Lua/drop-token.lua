-- drop-token (writes)
--
-- Drops each of the fields whose value begins with a time (six bytes, little-endian) not later than the one given,
-- and goes on with the token given.
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
    end
end
return dropped
