-- drop-token (writes)
--
-- Deletes the fields that hold a token with a report time (six bytes, little-endian) up to a limit. The user's hash
-- keeps the replaced token until the caller has released it in the index of owners: see `UserRecord.ReplacedToken`.
--
-- KEYS
--   user
-- ARGV
--   latest: epoch ms
--   token
--   fields...
-- Reply: int (the number of deleted fields)
-- Includes: report-times, write-rights

local dropped = 0
for position = fields_at, #ARGV do
    local value = redis.call('HGET', user, ARGV[position])
    if value and string.sub(value, 7) == token and time_of(value, 1) <= tonumber(latest) then
        require_writes(user, 'HDEL', 'HINCRBY', 'HSET')
        redis.call('HINCRBY', user, 'v', 1)
        dropped = dropped + redis.call('HDEL', user, ARGV[position])
        local last = 2
        while (string.byte(ARGV[position], last) or 0) >= 128 do last = last + 1 end
        redis.call('HSET', user, 'r' .. string.sub(ARGV[position], 2, last) .. token, '')
    end
end
return dropped
