-- change-schedule (writes)
--
-- Deletes a waiting schedule, or gives it a shorter list of devices.
--
-- KEYS
--   schedule
--   waiting: schedules of customers, or of users
--   due: queue
--   own?: waiting schedules of its user
-- ARGV
--   id
--   item: of the due queue
--   version: as it was read
--   devices: '' to delete the schedule
-- Reply: flag (false if it no longer waits or has changed)

if not redis.call('ZSCORE', due, item) then return 0 end
if (redis.call('HGET', schedule, 'v') or '0') ~= version then return 0 end
if devices ~= '' then
    redis.call('HSET', schedule, 'targets', devices)
    redis.call('HINCRBY', schedule, 'v', 1)
    return 1
end
redis.call('ZREM', waiting, id)
if own then redis.call('ZREM', own, id) end
redis.call('DEL', schedule)
-- The item comes last, because a repetition does nothing without it.
redis.call('ZREM', due, item)
return 1
