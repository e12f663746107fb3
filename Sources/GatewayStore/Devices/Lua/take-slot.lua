-- take-slot (writes)
--
-- Gives the next slot of such an activity to a device. All slots that were given belong to the segment at once; one
-- that nothing is written to has no fate, and is passed over everywhere.
--
-- KEYS
--   activity
-- ARGV
--   most: how many slots an activity may have
-- Reply: the slot, or nil when the activity is gone, full, or was not opened by devices

local is = redis.call('HMGET', activity, 'external_id', 'reserved')
local slot = tonumber(is[2]) or 0
if not is[1] or slot >= tonumber(most) then return false end
redis.call('HSET', activity, 'reserved', slot + 1, 'slots', struct.pack('<I4I4', 0, slot + 1))
return slot
