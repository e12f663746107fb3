-- pacing (part)
--
-- The time at which an update may leave. Updates to the whole segment leave at once, two in a row, and then one in each
-- interval. This is the generic cell rate algorithm (GCRA) with a burst of two. A waiting update is recorded like any
-- other. The next one supersedes it before it has begun, and inherits its time. So at most one waits, and only updates
-- that leave use timestamps.
--
-- An update to a target list waits for a waiting update to the whole segment, because it must come after it. The next
-- one to the whole segment supersedes both, so these lists use no timestamps either.

-- Reserves and returns the time at which the next update of an activity may leave.
local function next_turn(activity, now, interval)
    local pace = tonumber(redis.call('HGET', activity, 'pace')) or 0
    -- The clock was set back, or the interval was shortened.
    if pace > now + 3 * interval then pace = now end
    redis.call('HSET', activity, 'pace', string.format('%.0f', math.max(pace, now) + interval))
    return math.max(now, pace - interval)
end

-- The time at which an update leaves. It takes the time of an older waiting one, and never leaves before `ahead`.
local function departure(activity, older, ahead, whole, now, interval)
    local leave = now
    if ahead and ahead.not_before > now then leave = ahead.not_before end
    if older and older.not_before > now then return math.max(leave, older.not_before) end
    return whole and next_turn(activity, now, interval) or leave
end
