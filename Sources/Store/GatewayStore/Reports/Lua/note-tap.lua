-- note-tap (writes)
--
-- Counts a tap, unless it has been counted before, and tells what last drove the activity. Of a device so many taps are
-- known; the oldest make way.
--
-- KEYS
--   activity
--   taps?: of the device that have been counted, by when
-- ARGV
--   insider_id
--   tap: what it is called; '' for one without a name
--   now: epoch ms
--   remembered: ms for which a tap is known
--   capacity: how many are
-- Reply: nil when the activity is gone, else {schedule or '', its name or ''}
-- Includes: drivers

if redis.call('EXISTS', activity) == 0 then return false end
local is_new = true
if taps then
    redis.call('ZREMRANGEBYSCORE', taps, '-inf', now - remembered)
    is_new = redis.call('ZADD', taps, 'NX', now, tap) == 1
    local excess = redis.call('ZCARD', taps) - capacity
    if excess > 0 then redis.call('ZPOPMIN', taps, excess) end
    if is_new then redis.call('PEXPIRE', taps, remembered) end
end
if is_new then redis.call('HINCRBY', activity, 'taps', 1) end
return driver(activity, insider_id)
