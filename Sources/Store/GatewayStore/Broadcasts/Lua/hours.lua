-- hours (part)
--
-- The updates of an activity that were pushed in the running hour. An update counts from the turn of its first job. An
-- update superseded earlier, or not recorded, does not count.

-- The number of updates in the running hour. Returns 0 if `hour` is not the running one.
local function updates_of_hour(now, hour, count)
    return hour == string.format('%.0f', math.floor(now / 3600000)) and tonumber(count) or 0
end

-- The priority of an update without one: 10 while the budget of urgent updates to all devices lasts, 5 after that.
local function priority_of_update(now, hour, urgent, budget)
    return (budget == 0 or updates_of_hour(now, hour, urgent) < budget) and 10 or 5
end

-- Counts an update to the running hour. Adds the new fields and values of the activity to `changes`, and returns the
-- number of the hour's updates. The budget counts updates with priority 10 to all devices.
local function count_update(changes, now, hour, count, urgent, is_urgent)
    local updates = updates_of_hour(now, hour, count) + 1
    local running = string.format('%.0f', math.floor(now / 3600000))
    for _, each in ipairs({ 'hour', running, 'hour_updates', updates }) do changes[#changes + 1] = each end
    -- The field is missing until the first urgent update.
    if urgent or is_urgent then
        changes[#changes + 1] = 'hour_urgent'
        changes[#changes + 1] = updates_of_hour(now, hour, urgent) + (is_urgent and 1 or 0)
    end
    return updates
end
