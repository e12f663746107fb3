-- mark-reached (writes)
--
-- Notes that a push has reached a device: see `DeviceRecord`.
--
-- KEYS
--   user
-- ARGV
--   field: the device's
-- Reply: 1, or 0 when that was known or there is no record of the device
-- Includes: device-marks

local value = redis.call('HGET', user, field)
local reached = value and marked(value, 64)
if not reached then return 0 end
redis.call('HSET', user, field, reached)
return 1
