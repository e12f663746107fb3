-- reserve-slots (writes)
--
-- Sets slots aside for devices that are about to join a registered activity.
--
-- KEYS
--   activity
-- ARGV
--   count
--   most: how many slots an activity may have
-- Reply: the first slot, or nil when the activity is not in state `registered` or is full

local is = redis.call('HMGET', activity, 'state', 'reserved')
if is[1] ~= ACTIVITY.registered or (tonumber(is[2]) or 0) + count > tonumber(most) then return false end
return redis.call('HINCRBY', activity, 'reserved', count) - count
