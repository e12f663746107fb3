-- conclude-schedule (writes)
--
-- Ends a waiting schedule without a broadcast.
--
-- KEYS
--   activity
--   due: queue
-- ARGV
--   activity_id
--   id
--   now: epoch ms
--   state
--   reason: '' for none
-- Reply: flag (false if it no longer waits)
-- Includes: schedules

if not redis.call('ZSCORE', due, 's:' .. activity_id .. ':' .. id) then return 0 end
end_schedule(activity, due, activity_id, id, now, state, reason ~= '' and 'reason', reason)
return 1
