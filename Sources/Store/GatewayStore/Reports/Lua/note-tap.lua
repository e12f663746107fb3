-- note-tap (writes)
--
-- Counts a tap, unless it has been counted before, and tells what last drove the activity.
--
-- KEYS
--   activity
--   tap?: that it has been counted
-- ARGV
--   insider_id
--   remembered: ms for which that is known
-- Reply: nil when the activity is gone, else {schedule or '', its name or ''}
-- Includes: drivers

if redis.call('EXISTS', activity) == 0 then return false end
if not tap or redis.call('SET', tap, '1', 'NX', 'PX', remembered) then
    redis.call('HINCRBY', activity, 'taps', 1)
end
return driver(activity, insider_id)
