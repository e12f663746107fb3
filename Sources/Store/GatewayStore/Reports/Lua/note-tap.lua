-- note-tap (writes)
--
-- Counts a tap, and tells what last drove the activity.
--
-- KEYS
--   activity
-- ARGV
--   insider_id
-- Reply: nil when the activity is gone, else {schedule or '', its name or ''}
-- Includes: drivers

if redis.call('EXISTS', activity) == 0 then return false end
redis.call('HINCRBY', activity, 'taps', 1)
return driver(activity, insider_id)
