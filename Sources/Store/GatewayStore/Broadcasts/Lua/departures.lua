-- departures (part)
--
-- The time before which a recorded broadcast does not leave.

-- The time at which a queued broadcast may leave; 0 for at once. A creation time in the future shows that the clock was
-- set back, so the time to leave no longer counts.
local function departure_of(not_before, created_at, now)
    if (tonumber(created_at) or 0) > now + LIMIT.clock_step then return 0 end
    return tonumber(not_before) or 0
end
