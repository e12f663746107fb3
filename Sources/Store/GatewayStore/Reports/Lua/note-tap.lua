-- note-tap (writes)
--
-- Counts a tap, and tells what last drove the activity.
--
-- KEYS
--   activity
-- Reply: nil when the activity is gone, else {schedule or '', its name or ''}

if redis.call('EXISTS', activity) == 0 then return false end
redis.call('HINCRBY', activity, 'taps', 1)
local is = redis.call('HMGET', activity, 'schedule', 'schedule_name')
return { is[1] or '', is[2] or '' }
