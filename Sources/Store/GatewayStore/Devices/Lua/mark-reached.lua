-- mark-reached (writes)
--
-- Records that a push has reached a device: see `DeviceRecord`.
--
-- KEYS
--   user
-- ARGV
--   field: the device's
-- Reply: flag (false if the mark is set already or the device has no record)
-- Includes: device-marks

local value = redis.call('HGET', user, field)
local reached = value and marked(value, 64)
if not reached then return 0 end
redis.call('HSET', user, field, reached)
return 1
