-- claim-token (writes)
--
-- Makes whoever reports a token its owner, unless another one has reported it later.
--
-- KEYS
--   bucket
-- ARGV
--   field
--   owner
--   time: when the report was received, in six bytes
--   capacity: how many fields the bucket may have, '' for any number
-- Reply: -1 when another one reported it later, -2 when the bucket was full once and does not have it; else the
--   owners that it must be taken away from
-- Includes: token-claims

local is = redis.call('HGET', bucket, field)
if not is then
    if capacity ~= '' then
        -- Full once, full for ever: no entry is made in two buckets.
        if redis.call('HEXISTS', bucket, 'f') == 1 then return -2 end
        if redis.call('HLEN', bucket) >= tonumber(capacity) then
            redis.call('HSET', bucket, 'f', '')
            return -2
        end
    end
    redis.call('HSET', bucket, field, time .. string.char(#owner) .. owner)
    return {}
end
local formers, entry = claimed(is, owner, time)
if entry then redis.call('HSET', bucket, field, entry) end
return formers
