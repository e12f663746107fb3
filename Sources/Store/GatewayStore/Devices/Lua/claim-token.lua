-- claim-token (writes)
--
-- Makes whoever reports a token its owner, unless another one has reported it later.
--
-- An entry is the time of the newest report in six bytes, the length of its owner and the owner, and behind that, in
-- the same way, those who are still to be told that it is theirs no more: see `TokenIndex`. A mark in the time, 64 in
-- its last byte, says that it is not of its owner's report, see `release-token`.
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
-- Includes: report-times

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
local is_older = is_newer(is, 1, time_of(time, 1))
local formers, at, is_owner = {}, 7, false
while at <= #is do
    local length = string.byte(is, at)
    local one = string.sub(is, at + 1, at + length)
    if at == 7 then is_owner = one == owner end
    if one ~= owner and not (at == 7 and is_owner) then formers[#formers + 1] = one end
    at = at + 1 + length
end
if is_older then
    if not is_owner then return -1 end
    return formers
end
local entry = { time, string.char(#owner), owner }
for _, former in ipairs(formers) do
    if #entry >= 2 * LIMIT.former_owners + 3 then break end
    entry[#entry + 1] = string.char(#former)
    entry[#entry + 1] = former
end
redis.call('HSET', bucket, field, table.concat(entry))
return formers
