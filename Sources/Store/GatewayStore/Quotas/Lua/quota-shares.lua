-- quota-shares (part)
--
-- The usable share of a quota's rate, and the time in µs since 1970.

local function quota_time(given)
    if given ~= '' then return tonumber(given) end
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

-- Returns the share now, which grows back from `share` at `at` to 1.
local function recovered(share, at, now)
    share, at = tonumber(share), tonumber(at)
    if not share or not at then return 1 end
    return math.min(1, share + math.max(0, now - at) / QUOTA.recovery)
end

-- Returns the share of a ramp that starts with the first use and after each rest.
local function ramped(began, now, ramp_up)
    if now - began >= ramp_up then return 1 end
    return QUOTA.first_share + (1 - QUOTA.first_share) * (now - began) / ramp_up
end
