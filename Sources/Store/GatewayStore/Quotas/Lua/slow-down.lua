-- slow-down (writes)
--
-- Slows down or pauses the permits of a project, because the provider asks for it.
--
-- KEYS
--   quota
-- ARGV
--   wait: µs to pause, or '' to halve the rate, which then recovers
--   now: µs since 1970, or '' for Redis's own clock
-- Reply: flag (always true)
-- Includes: quota-shares, write-rights

require_writes(quota, 'PEXPIRE')
local now = quota_time(now)
local is = redis.call('HMGET', quota, 'until', 'share', 'shared_at')
if wait ~= '' then
    local closed = now + math.min(tonumber(wait), QUOTA.longest_wait)
    local before = tonumber(is[1]) or 0
    -- A later time comes from a clock that was set back since.
    if before > now + QUOTA.longest_wait then before = 0 end
    redis.call('HSET', quota, 'until', string.format('%.0f', math.max(closed, before)))
else
    local share = math.max(QUOTA.least_share, recovered(is[2], is[3], now) / 2)
    redis.call('HSET', quota, 'share', tostring(share), 'shared_at', string.format('%.0f', now))
end
redis.call('PEXPIRE', quota, (QUOTA.longest_wait + QUOTA.rest) / 1000)
return 1
