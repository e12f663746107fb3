-- take-last-timestamp (writes)
--
-- Returns the timestamp of the last push to a Live Activity: now, or just after the activity's newest. Records it for
-- the device, which may be started again.
--
-- KEYS
--   activity
-- ARGV
--   now: epoch ms
--   slot
-- Reply: int (the timestamp)
-- Includes: timestamps, write-rights

local timestamp = math.max(math.floor(now / 1000), (tonumber(redis.call('HGET', activity, 'timestamp')) or 0) + 1)
-- A repetition records another timestamp.
require_writes(activity, 'PEXPIRE')
note_timestamp(activity, tonumber(now), timestamp, { slot }, true)
return timestamp
