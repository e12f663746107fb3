-- delete-segment (writes)
--
-- Deletes a stored segment.
--
-- KEYS
--   segment
--   names
--   cleanups
-- ARGV
--   writer: the change's id
--   name
--   now: epoch ms
-- Reply: flag (false if the segment does not exist)
-- Includes: segment-cleanups, write-rights

local all = redis.call('HGETALL', segment)
if #all == 0 then return 0 end
local retired = {}
for index = 1, #all, 2 do
    if tonumber(all[index]) then retire(retired, all[index], all[index + 1]) end
end
require_writes(segment, 'DEL', 'HDEL', 'HSET', 'ZREM')
redis.call('DEL', segment)
redis.call('ZREM', names, name)
note(cleanups, writer, now, retired)
return 1
