-- note-hand-over (writes)
--
-- Notes for a device that the Live Activities of another login may be on its phone, see `UserRecord.HandOver`.
--
-- KEYS
--   user
-- ARGV
--   device: its field
--   entries...(2): field and value of each Live Activity
-- Reply: 1, or 0 when the device is not there any more

if redis.call('HEXISTS', user, device) == 0 then return 0 end
redis.call('HSET', user, unpack(ARGV, entries_at))
redis.call('HINCRBY', user, 'v', 1)
return 1
