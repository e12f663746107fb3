-- take-last-timestamp (writes)
--
-- A timestamp for a push to one Live Activity, which is that Live Activity's last: now, or just after the activity's
-- newest. It is noted of the device, for one that is started again.
--
-- KEYS
--   activity
-- ARGV
--   now: epoch ms
--   slot: four bytes, little-endian
-- Reply: the timestamp
-- Includes: timestamps

local timestamp = math.max(math.floor(now / 1000), (tonumber(redis.call('HGET', activity, 'timestamp')) or 0) + 1)
note_timestamp(activity, tonumber(now), timestamp, slot, true)
return timestamp
