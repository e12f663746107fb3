-- rotate-secret (writes)
--
-- Replaces a secret if it is still the one that the caller has read, so one of several concurrent rotations succeeds.
-- Replaced secrets stay valid until the end of the overlap at most, also those from earlier rotations.
--
-- KEYS
--   tenant
-- ARGV
--   kind
--   seen: the stored form of the present secret, '' for none
--   fresh: the stored form of the new secret
--   overlap: ms
--   most: limit of replaced secrets in force
-- Reply: one of
--   unknown = 0: the tenant does not exist
--   raced = 1: another rotation was first
--   too_many = 2: too many replaced secrets are in force
--   rotated = 3 {time: int, tenant: fields}: Redis's clock in epoch ms, and the hash

if redis.call('EXISTS', tenant) == 0 then return 0 end
local is = redis.call('HMGET', tenant, kind, kind .. '_old', 'revision')
if (is[1] or '') ~= seen then return 1 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local latest = now + tonumber(overlap)
local old, live = {}, 0
for hash, ends in string.gmatch(seen .. ':' .. string.format('%.0f', latest) .. ',' .. (is[2] or ''),
    '(%x+):(%d+)')
do
    ends = math.min(tonumber(ends), latest)
    if ends > now then live = live + 1 end
    old[#old + 1] = hash .. ':' .. string.format('%.0f', ends)
end
if live > tonumber(most) then return 2 end
redis.call('HSET', tenant, kind, fresh, kind .. '_old', table.concat(old, ','), 'revision', (is[3] or 0) + 1)
return { 3, now, redis.call('HGETALL', tenant) }
