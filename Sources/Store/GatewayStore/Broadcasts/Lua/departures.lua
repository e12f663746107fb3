-- departures (part)
--
-- The time before which a recorded broadcast does not leave.

-- When a queued broadcast may leave, 0 for at once. A broadcast that was made later than now shows that the clock has
-- been set back since, so its time says nothing.
local function departure_of(not_before, created_at, now)
    if (tonumber(created_at) or 0) > now + LIMIT.clock_step then return 0 end
    return tonumber(not_before) or 0
end
