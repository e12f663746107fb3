-- claim-token (writes)
--
-- Makes the reporting device the owner of a token, unless another device has reported the token later.
--
-- KEYS
--   bucket
-- ARGV
--   field
--   owner
--   time: of the report's receipt, in six bytes
--   capacity: the most fields of the bucket, '' for no limit
-- Reply: one of
--   owned = 1 {formers: [bytes]}: the former owners to take it away from
--   lost = -1: another device reported it later
--   full = -2: the bucket was full once and lacks the token
-- Includes: token-claims

local is = redis.call('HGET', bucket, field)
if not is then
    if capacity ~= '' then
        -- A bucket that was full once stays closed, so no token gets entries in two buckets.
        if redis.call('HEXISTS', bucket, 'f') == 1 then return -2 end
        if redis.call('HLEN', bucket) >= tonumber(capacity) then
            redis.call('HSET', bucket, 'f', '')
            return -2
        end
    end
    redis.call('HSET', bucket, field, time .. string.char(#owner) .. owner)
    return { 1, {} }
end
local formers, entry = claimed(is, owner, time)
if entry then redis.call('HSET', bucket, field, entry) end
return formers and { 1, formers } or -1
