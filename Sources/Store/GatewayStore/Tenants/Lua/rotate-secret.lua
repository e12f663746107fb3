-- rotate-secret (writes)
--
-- Puts a fresh secret in place of the present one, if that is the one that the caller has seen: of any number of
-- rotations at once one succeeds. When the overlap is over only the fresh one counts: secrets that were replaced
-- before and still count do so no longer than the present one.
--
-- KEYS
--   tenant
-- ARGV
--   kind
--   seen: the present secret as it is kept, '' when there is none
--   fresh: the fresh one as it is to be kept
--   overlap: ms
--   most: how many replaced ones may still count
-- Reply: 0 no such tenant, 1 rotated by somebody else, 2 too many, else as `changeTenant`

if redis.call('EXISTS', tenant) == 0 then return 0 end
local is = redis.call('HMGET', tenant, kind, kind .. '_old')
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
redis.call('HSET', tenant, kind, fresh, kind .. '_old', table.concat(old, ','))
redis.call('HINCRBY', tenant, 'revision', 1)
return { now, redis.call('HGETALL', tenant) }
