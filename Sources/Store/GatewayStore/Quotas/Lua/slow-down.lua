-- slow-down (writes)
--
-- Gives out fewer permits of a project, or none for a time, because the provider says so.
--
-- KEYS
--   quota
-- ARGV
--   wait: µs in which none is given, or '' to halve the rate, which then grows back
--   now: µs since 1970, or '' for Redis's own clock
-- Reply: 1
-- Includes: quota-shares

local now = quota_time(now)
local is = redis.call('HMGET', quota, 'until', 'share', 'shared_at')
if wait ~= '' then
    local closed = now + math.min(tonumber(wait), QUOTA.longest_wait)
    local before = tonumber(is[1]) or 0
    -- What a clock said that was set back since is passed over.
    if before > now + QUOTA.longest_wait then before = 0 end
    redis.call('HSET', quota, 'until', string.format('%.0f', math.max(closed, before)))
else
    local share = math.max(QUOTA.least_share, recovered(is[2], is[3], now) / 2)
    redis.call('HSET', quota, 'share', tostring(share), 'shared_at', string.format('%.0f', now))
end
redis.call('PEXPIRE', quota, (QUOTA.longest_wait + QUOTA.rest) / 1000)
return 1
