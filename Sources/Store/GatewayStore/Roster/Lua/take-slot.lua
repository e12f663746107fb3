-- take-slot (writes)
--
-- Assigns the next slot of a band to a device that opens its activity by itself, or changes its band. Each assigned
-- slot belongs to the segment at once. Because an unused slot has no delivery status, all readers skip it.
--
-- KEYS
--   activity
-- ARGV
--   most: most slots of a band
--   field: field of the activity with the band's size
--   first: first slot of the band
-- Reply: int? (the slot; nil if the activity does not exist or the band is full)
-- Includes: slot-ranges

local is = redis.call('HMGET', activity, 'tenant', field)
local size = tonumber(is[2]) or 0
if not is[1] or size >= tonumber(most) then return false end
redis.call('HSET', activity, field, size + 1)
confirm_slots(activity, first + size, first + size + 1)
return first + size
