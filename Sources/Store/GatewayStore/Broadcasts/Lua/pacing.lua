-- pacing (part)
--
-- When an update may leave. Updates of an activity to the whole segment leave at once, two in a row, and then one in
-- each interval (the generic cell rate algorithm, GCRA, with a burst of two). One that has to wait is recorded all the
-- same; the next one replaces it before it has begun, and takes over its time. So at most one waits, it is the newest,
-- and as many timestamps are used as updates leave. While one to the whole segment waits, one to a target list waits
-- with it: it must come after it, and the next one to the whole segment replaces both. So lists in between use no
-- timestamps either.

-- When the next update of an activity may leave.
local function next_turn(activity, now, interval)
    local pace = tonumber(redis.call('HGET', activity, 'pace')) or 0
    -- The clock, or the interval, has been set back.
    if pace > now + 3 * interval then pace = now end
    redis.call('HSET', activity, 'pace', string.format('%.0f', math.max(pace, now) + interval))
    return math.max(now, pace - interval)
end

-- When an update leaves, which replaces the older one if that still waits, and comes after `ahead`, if there is one.
local function departure(activity, older, ahead, whole, now, interval)
    local leave = now
    if ahead and ahead.not_before > now then leave = ahead.not_before end
    if older and older.not_before > now then return math.max(leave, older.not_before) end
    return whole and next_turn(activity, now, interval) or leave
end
