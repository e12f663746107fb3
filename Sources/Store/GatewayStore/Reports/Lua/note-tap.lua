-- note-tap (writes)
--
-- Counts a tap unless it was counted before, and returns the last driver of the activity. Keeps at most `capacity` taps
-- of a device and drops the oldest ones.
--
-- KEYS
--   activity
--   taps?: sorted set of the device's counted taps, by time
-- ARGV
--   insider_id
--   tap: name of the tap; '' for a tap without a name
--   now: epoch ms
--   remembered: ms for which a tap is kept
--   capacity: most taps kept for a device
-- Reply: {schedule: text, name: text}?
--   nil if the activity does not exist
--   schedule: '' for none
--   name: of the schedule, '' for none
-- Includes: drivers, write-rights

if redis.call('EXISTS', activity) == 0 then return false end
local is_new = true
if taps then
    require_writes(activity, 'HINCRBY', 'PEXPIRE', 'ZPOPMIN')
    redis.call('ZREMRANGEBYSCORE', taps, '-inf', now - remembered)
    is_new = redis.call('ZADD', taps, 'NX', now, tap) == 1
    local excess = redis.call('ZCARD', taps) - capacity
    if excess > 0 then redis.call('ZPOPMIN', taps, excess) end
    if is_new then redis.call('PEXPIRE', taps, remembered) end
end
if is_new then redis.call('HINCRBY', activity, 'taps', 1) end
return driver(activity, insider_id)
