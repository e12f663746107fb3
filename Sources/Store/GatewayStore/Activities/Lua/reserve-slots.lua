-- reserve-slots (writes)
--
-- Reserves slots for devices that are about to join a registered activity.
--
-- KEYS
--   activity
-- ARGV
--   most: the limit of slots of a band
--   bands...(2): field with the band's size, and the number of slots to reserve
-- Reply: [int]?
--   the former size of each band, nil if the activity is not in state `registered` or a band is full

if redis.call('HGET', activity, 'state') ~= ACTIVITY.registered then return false end
local sizes = {}
for position = bands_at, #ARGV, 2 do
    local size = tonumber(redis.call('HGET', activity, ARGV[position])) or 0
    if size + ARGV[position + 1] > tonumber(most) then return false end
    sizes[#sizes + 1] = size
end
for position = bands_at, #ARGV, 2 do redis.call('HINCRBY', activity, ARGV[position], ARGV[position + 1]) end
return sizes
