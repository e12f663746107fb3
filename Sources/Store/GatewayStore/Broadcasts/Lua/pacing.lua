-- pacing (part)
--
-- The time at which an update may leave. Updates to the whole segment leave at once, two in a row, and then one in each
-- interval. This is the generic cell rate algorithm (GCRA) with a burst of two. A waiting update is recorded like any
-- other. The next one supersedes it before it has begun, and inherits its time. So at most one waits, and only updates
-- that leave use timestamps.
--
-- An update to a target list waits for a waiting update to the whole segment, because it must come after it. The next
-- one to the whole segment supersedes both, so these lists use no timestamps either.

-- The time at which the next update of an activity may leave, and the new value of the field `pace`.
local function next_turn(pace, now, interval)
    pace = tonumber(pace) or 0
    -- The clock was set back, or the interval was shortened.
    if pace > now + 3 * interval then pace = now end
    return math.max(now, pace - interval), string.format('%.0f', math.max(pace, now) + interval)
end

-- The time at which an update leaves, and the new value of the field `pace`, nil for the present one. The update takes
-- the time of an older waiting one, and never leaves before `ahead`.
local function departure(pace, older, ahead, whole, now, interval)
    local leave = now
    if ahead and ahead.not_before > now then leave = ahead.not_before end
    if older and older.not_before > now then return math.max(leave, older.not_before) end
    if whole then return next_turn(pace, now, interval) end
    return leave
end
