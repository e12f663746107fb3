-- mark-reached (writes)
--
-- Notes that a push has reached a device: see `DeviceRecord`.
--
-- KEYS
--   user
-- ARGV
--   field: the device's
-- Reply: 1, or 0 when that was known or there is no record of the device

local value = redis.call('HGET', user, field)
if not value then return 0 end
local length = 1
while (string.byte(value, length) or 0) >= 128 do length = length + 1 end
local last = string.byte(value, length + 7)
if not last or string.byte(value, length + 1) < 64 or math.floor(last / 64) % 2 == 1 then return 0 end
redis.call('HSET', user, field, string.sub(value, 1, length + 6) .. string.char(last + 64)
    .. string.sub(value, length + 8))
return 1
