-- quota-shares (part)
--
-- What of a quota's rate is given now, and the time in microseconds since 1970.

local function quota_time(given)
    if given ~= '' then return tonumber(given) end
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

-- A share that was `share` at a time grows back to the whole.
local function recovered(share, at, now)
    share, at = tonumber(share), tonumber(at)
    if not share or not at then return 1 end
    return math.min(1, share + math.max(0, now - at) / QUOTA.recovery)
end

-- From the first use on, and after a rest, the rate grows to the whole.
local function ramped(began, now, ramp_up)
    if now - began >= ramp_up then return 1 end
    return QUOTA.first_share + (1 - QUOTA.first_share) * (now - began) / ramp_up
end
