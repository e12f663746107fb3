-- note-hand-over (writes)
--
-- Records the Live Activities of another login that a device's phone may show, see `UserRecord.HandOver`.
--
-- KEYS
--   user
-- ARGV
--   device: its field
--   entries...(2): field and value of each Live Activity
-- Reply: flag (false if the user lacks the device)
-- Includes: device-marks

local record = redis.call('HGET', user, device)
if not record then return 0 end
redis.call('HSET', user, device, marked(record, 128) or record, unpack(ARGV, entries_at))
redis.call('HINCRBY', user, 'v', 1)
return 1
