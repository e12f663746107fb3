-- take-permits (writes)
--
-- Takes permits from a project's quota of messages, which all gateways share.
--
-- Permits are spaced by the generic cell rate algorithm, and a burst is granted at once. The rate ramps up from a part
-- of the whole on first use and after a rest. It is lower after provider errors, and zero while a pause lasts.
--
-- KEYS
--   quota
-- ARGV
--   count: permits wanted
--   limit: messages a minute
--   ramp_up: µs of the ramp up to the full rate
--   now: µs since 1970, or '' for Redis's own clock, which all gateways share
-- Reply: {permits: int, wait: int}
--   wait: ms until the next call can succeed
-- Includes: quota-shares

local count, limit, ramp_up = tonumber(count), tonumber(limit), tonumber(ramp_up)
local now = quota_time(now)
local is = redis.call('HMGET', quota, 'next', 'used', 'began', 'until', 'share', 'shared_at')
-- Caps the pause, because the clock may have been set back.
local closed = math.min(tonumber(is[4]) or 0, now + QUOTA.longest_wait)
if now < closed then return { 0, math.ceil((closed - now) / 1000) } end

local next, used, began = tonumber(is[1]) or 0, tonumber(is[2]), tonumber(is[3])
if not used or not began or now - used >= QUOTA.rest or began > now then began = now end
local share = ramped(began, now, ramp_up) * recovered(is[5], is[6], now)
-- A small quota has no burst to spare. One message less leaves room for the permit that is granted at once.
local whole = math.max(QUOTA.window / limit, (QUOTA.window - QUOTA.burst) / math.max(limit - 1, 0.98))
local interval = whole / share
local burst = math.max(QUOTA.burst, interval)
-- The latest time for the next permit.
local latest = now + math.max(QUOTA.rest, 2 * whole)
if next > latest then next = now end
local start = math.max(next, now)
local granted = math.max(0, math.min(count, math.floor((now - start + burst) / interval)))
if granted > 0 then
    next = math.min(math.ceil(start + granted * interval), latest)
    local is_there = redis.call('PEXPIRE', quota, (QUOTA.longest_wait + QUOTA.rest) / 1000) == 1
    redis.call('HSET', quota, 'next', string.format('%.0f', next), 'used', string.format('%.0f', now),
        'began', string.format('%.0f', began))
    if not is_there then redis.call('PEXPIRE', quota, (QUOTA.longest_wait + QUOTA.rest) / 1000) end
end
if granted == count then return { granted, 0 } end
-- Waits for half a burst, so that permits are not granted one by one.
local wait = math.max(next - now, 0) + math.max(interval, burst / 2) - burst
return { granted, math.max(1, math.ceil(wait / 1000)) }
