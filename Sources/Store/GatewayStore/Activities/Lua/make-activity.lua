-- make-activity (writes)
--
-- Makes an activity visible, unless it is visible already, and adds its end to the due queue.
--
-- KEYS
--   activity
--   due: queue
-- ARGV
--   expires_at: epoch ms
--   item: in the queue
--   due_at: epoch ms
--   fields...(2): and values
-- Reply: flag (false if the activity is visible already)
-- Includes: write-rights

if redis.call('HEXISTS', activity, 'reserved') == 1 then return 0 end
-- The activity comes last, because a repetition does nothing once it is there.
require_writes(activity, 'PEXPIREAT')
redis.call('ZADD', due, due_at, item)
redis.call('HSET', activity, unpack(ARGV, fields_at))
redis.call('PEXPIREAT', activity, expires_at)
return 1
