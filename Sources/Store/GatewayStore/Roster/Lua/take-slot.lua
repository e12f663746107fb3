-- take-slot (writes)
--
-- Gives the next slot of a band to a device that opens its activity by itself, or changes its band. All slots that
-- were given belong to the segment at once; one that nothing is written to has no delivery status, and is passed over
-- everywhere.
--
-- KEYS
--   activity
-- ARGV
--   most: how many slots a band may have
--   field: with the band's size
--   first: slot of the band
-- Reply: the slot, or nil when the activity is gone or the band is full
-- Includes: slot-ranges

local is = redis.call('HMGET', activity, 'tenant', field)
local size = tonumber(is[2]) or 0
if not is[1] or size >= tonumber(most) then return false end
redis.call('HSET', activity, field, size + 1)
confirm_slots(activity, first + size, first + size + 1)
return first + size
